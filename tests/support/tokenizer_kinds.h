// Malformed tokenizer files, one or more of each kind of a list that numbers them: 106 to 130 are
// kinds of tokenizer.json, 136 to 153 of a SentencePiece .model.
//
// Not here: 111 (an id that the model has no row for) is refused by the commands that have a model;
// 126 (regular expressions that take others exponential time) and 127 (a token of 1 MiB) are
// accepted, see regex_test and malformed_test; 129 (ten million tokens) is measured by hand; 131 to
// 135 are chat templates, see chat_template_test; 154 (50 MB of unknown fields)
// is accepted, see spm_file_test.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/spm_bytes.h"

namespace jogak {

struct MalformedTokenizer {
  int kind;
  std::string name;    // of the file
  std::string bytes;   // what stands in it
  std::string reason;  // some words of the error
};

namespace tokenizer_kinds {

inline std::string base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i)
      out += at + i <= bytes.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

// A charsmap of 512 units, all zero but these, and one empty replacement.
inline std::string charsmap(const std::vector<std::pair<size_t, uint32_t>>& units) {
  std::string blob(4 + 2048 + 1, '\0');
  const auto put = [&](size_t byte, uint32_t value) {
    for (size_t i = 0; i < 4; ++i) blob[byte + i] = static_cast<char>(value >> 8 * i & 0xFF);
  };
  put(0, 2048);
  for (const auto& [unit, bits] : units) put(4 + 4 * unit, bits);
  return blob;
}

inline std::string json(const std::string& parts,
                        const std::string& vocab = R"("a":0,"b":1,"ab":2)",
                        const std::string& merges = R"("a b")") {
  return R"({"version":"1.0",)" + parts + R"("model":{"type":"BPE","vocab":{)" + vocab +
         R"(},"merges":[)" + merges + "]}}";
}
inline std::string added(const std::string& tokens) {
  return R"("added_tokens":[)" + tokens + "],";
}
inline std::string precompiled(const std::string& text) {
  return json(R"("normalizer":{"type":"Precompiled","precompiled_charsmap":")" + text + "\"},");
}
inline std::string split(const std::string& regex) {
  return json(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":")" + regex +
              R"("},"behavior":"Isolated"},)");
}
inline std::string unigram(const std::string& rest) {
  return R"({"model":{"type":"Unigram",)" + rest + "}}";
}

inline constexpr uint32_t kChild = 256 ^ 'a';  // where 'a' leads when the root has the base 256
inline constexpr std::pair<size_t, uint32_t> kRoot = {0, 256 << 10};

inline std::vector<MalformedTokenizer> of_json() {
  const std::string file = "tokenizer.json";
  const auto circle = charsmap({kRoot, {kChild, uint32_t{'a'} << 10 | 'a'}});
  const auto past = charsmap({kRoot, {kChild, kChild << 10 | 1 << 8 | 'a'}});
  return {
      {106, file, "<html></html>", "found '<', wanted a JSON value"},
      {106, file, "", "wanted a JSON value"},
      {106, file, json("").substr(0, 60), "found the end of the text"},
      {107, file, R"({"model":{"type":"Magic"}})", "model of type \"Magic\" is not supported"},
      {108, file, json("", R"("a":0,"b":0)", ""), "id 0 is given twice"},
      {109, file, json("", R"("a":0,"b":1000002)", ""), "wanted an id from 0 to 1000001"},
      {110, file, json("", R"("a":0,"b":-1)", ""), "found -1, wanted an id from 0"},
      {112, file, json("", R"("a":0,"b":1)"), "needs the token \"ab\""},
      {113, file, json("", R"("a":0)", R"("a")"), "has 1 part, wanted 2"},
      {113, file, json("", R"("a":0)", R"("a a a")"), "has 3 parts, wanted 2"},
      {113, file, json("", R"("a":0)", R"(["a"])"), "has 1 part, wanted 2"},
      {114, file, json("", R"("a":0,"b":1,"ab":2)", R"("a b","a b")"), "there a second time"},
      {115, file, json(R"("pre_tokenizer":{"type":"ByteLevel"},)"), "for the byte value 0"},
      {116, file, json(added(R"({"id":0,"content":"<s>"})")), "has the id 0 of the token \"a\""},
      {116, file, json(added(R"({"id":3,"content":"x"},{"id":3,"content":"y"})")),
       "have the same id 3"},
      {117, file, json(added(R"({"id":3,"content":""})")), "an added token is empty"},
      {118, file, unigram(R"("unk_id":1,"vocab":[["a",0]])"), "wanted the id of one of the 1"},
      {118, file, unigram(R"("unk_id":-1,"vocab":[["a",0]])"), "wanted the id of one of the 1"},
      {119, file, unigram(R"("vocab":[["a",NaN]])"), "wanted a JSON value"},
      {119, file, unigram(R"("vocab":[["a",1e400]])"), ""},
      {120, file, precompiled("A-AA"), "not base64"},
      {120, file, precompiled("AAA"), "wanted a multiple of 4"},
      {121, file, precompiled(base64(charsmap({}).substr(0, 900))), "found a table of 2048 bytes"},
      {122, file, precompiled(base64(charsmap({{0, 512 << 10}}))), "unit 0: leads to unit"},
      {123, file, precompiled(base64(circle)), "goes in a circle"},
      {124, file, precompiled(base64(past)), "a replacement at byte"},
      {125, file, split(R"((a)\\1)"), "which is not supported"},
      {125, file, split(R"((?<=a+)b)"), "without a fixed length: not supported"},
      {130, file,
       json(R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":)"
            R"({"id":"[X]","type_id":0}}],"pair":[],"special_tokens":{}},)"),
       "special token \"[X]\" is not among"},
  };
}

inline std::vector<MalformedTokenizer> of_spm() {
  using spm_bytes::bytes, spm_bytes::number, spm_bytes::piece, spm_bytes::unk, spm_bytes::varint;
  const std::string file = "tokenizer.model", a = piece("a", -1), start = unk() + a;
  const auto normalizing = [&](const std::string& blob) {
    return start + bytes(3, bytes(2, blob));
  };
  return {
      {136, file, "", "found an empty file"},
      {137, file, std::string(11, '\xFF') + "a", "a number of more than 10 bytes"},
      {138, file, "\x0A\x7F" + std::string("abc"), "has 127 bytes, but only 3 are left"},
      {139, file, "\x0A" + varint(uint64_t{1} << 63), "has 9223372036854775808 bytes"},
      {140, file, start + "\x0E", "found wire type 6"},
      {140, file, start + "\x0F", "found wire type 7"},
      {141, file, start + varint(9 << 3 | 3), "the start of a group without its end"},
      {142, file, start + std::string(1, '\0'), "found field number 0"},
      {143, file, number(9, 1), "found no pieces"},
      {144, file, start + a, "is there twice"},
      {145, file, start + piece(std::string(1 << 20, 'x')), "wanted at most 65536"},
      {146, file, start + piece("b", std::numeric_limits<float>::quiet_NaN()), "score nan"},
      {146, file, start + piece("b", std::numeric_limits<float>::infinity()), "score inf"},
      {147, file, start + piece("b", 0, 7), "found the type 7"},
      {148, file, a, "found no unknown piece"},
      {148, file, start + piece("b", 0, 2), "are both the unknown piece"},
      {149, file, start + piece("b\xFF"), "not UTF-8"},
      {150, file, start + bytes(2, number(35, 1)), "there is no piece <0x00>"},
      {128, file, start + bytes(2, number(35, 1)) + piece("<0x-1>", 0, 6), "wanted <0x00>"},
      {128, file, start + bytes(2, number(35, 1)) + piece("<0xZZ>", 0, 6), "wanted <0x00>"},
      {128, file, start + bytes(2, number(35, 1)) + piece("<0x1>", 0, 6), "wanted <0x00>"},
      {151, file, start + bytes(2, number(3, 9)), "found the model type 9"},
      {152, file, normalizing("\xFF\xFF\xFF\x7Fx"), "found a table of 2147483647 bytes"},
      {153, file, normalizing(charsmap({{0, 0xFFFFFFFF}})), "unit 0: leads to unit"},
  };
}

}  // namespace tokenizer_kinds

inline std::vector<MalformedTokenizer> malformed_tokenizers() {
  std::vector<MalformedTokenizer> out = tokenizer_kinds::of_json();
  for (MalformedTokenizer& one : tokenizer_kinds::of_spm()) out.push_back(std::move(one));
  return out;
}

}  // namespace jogak
