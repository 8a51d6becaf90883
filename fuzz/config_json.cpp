// A config.json of any bytes, to every family: refused with one line, or read; and what is written
// of it reads as the same again. No weights are made.
#include <cstdint>
#include <string_view>

#include "fuzz/check.h"
#include "models/bert.h"
#include "models/falcon.h"
#include "models/gpt2.h"
#include "models/llama.h"
#include "models/marian.h"
#include "models/patchtst.h"
#include "models/vit.h"
#include "nn/config_keys.h"

namespace {

using namespace jogak;

template <class Config>
void check_family(const Json& json, const char* type,
                  Config (*read)(const Json&, const std::string&), Json (*write)(const Config&)) {
  try {
    refuse_remote_code(Fields(json, "fuzz.json"), type);
    const Json written = write(read(json, "fuzz.json"));
    fuzz::require(written.find("model_type")->text() == type);
    const Json again = parse_json(written.dump(2), "again.json");
    fuzz::require(write(read(again, "again.json")) == written);
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const Json json = parse_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    check_family(json, "bert", read_bert_config, write_bert_config);
    check_family(json, "falcon", read_falcon_config, write_falcon_config);
    check_family(json, "gpt2", read_gpt2_config, write_gpt2_config);
    check_family(json, "llama", read_llama_config, write_llama_config);
    check_family(json, "marian", read_marian_config, write_marian_config);
    check_family(json, "patchtst", read_patchtst_config, write_patchtst_config);
    check_family(json, "vit", read_vit_config, write_vit_config);
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
