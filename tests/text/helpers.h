// Shared by the tests of the text folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {

inline std::string golden(const std::string& name) {
  return source_path("tests/goldens/tokenizers/") + name;
}

inline std::string data_folder() {  // empty when JOGAK_DATA is not set
  const char* data = std::getenv("JOGAK_DATA");
  return data ? join_path(data, "tokenizers") : "";
}

// "id:from:to," of every token, the form goldens are hashed in.
inline std::string listing(const Encoding& encoding) {
  std::string out;
  for (size_t i = 0; i < encoding.ids.size(); ++i)
    out +=
        text_of(encoding.ids[i], ":", encoding.offsets[i].from, ":", encoding.offsets[i].to, ",");
  return out;
}

inline std::string fnv(const std::string& text) {
  uint64_t value = 0xCBF29CE484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(value));
  return hex;
}

// Ids, tokens, offsets and both decodings as in the golden case; false and a report otherwise.
inline ::testing::AssertionResult same_as(const Tokenizer& tokenizer, const Json& golden_case) {
  const Fields wanted(golden_case, "golden");
  const std::string& text = wanted.text("text");
  const Encoding got = tokenizer.encode(text);
  Json offsets = Json::array();
  for (const Span& span : got.offsets) offsets.push(Json::array({Json(span.from), Json(span.to)}));
  const Json ours = Json::object({{"text", text},
                                  {"ids", Json::list(got.ids)},
                                  {"tokens", Json::list(got.tokens)},
                                  {"offsets", offsets},
                                  {"decoded", tokenizer.decode(got.ids)},
                                  {"decoded_all", tokenizer.decode(got.ids, false)}});
  if (ours == golden_case && tokenizer.encode_ids(text) == got.ids)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "ours   " << ours.dump() << "\nwanted " << golden_case.dump();
}

// The message of the error that `call` throws; the error must be of type E and of one line.
template <class E, class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another type of error: " << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

// A folder of the caller's own: there, empty, and gone with the program.
inline std::string folder_for_test() {
  static const TempDir all;
  static int made = 0;
  const std::string folder = all / std::to_string(made++);
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace jogak
