// A config.json of any bytes, to every family: refused with one line, or read; and what is written
// of it reads as the same again. No weights are made.
#include <cstdint>
#include <string_view>

#include "fuzz/check.h"
#include "models/families.h"

namespace {

using namespace jogak;

void check_family(const Json& json, const Family& family) {
  try {
    refuse_remote_code(Fields(json, "fuzz.json"), family.model_type);
    const Json written = family.complete(json, "fuzz.json");
    fuzz::require(written.find("model_type")->text() == family.model_type);
    const Json again = parse_json(written.dump(2), "again.json");
    fuzz::require(family.complete(again, "again.json") == written);
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const Json json = parse_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    for (const Family& family : families()) check_family(json, family);
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
