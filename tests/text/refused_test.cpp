// Every kind of malformed tokenizer file is refused with one line: file, byte, reason.
#include "tests/support/tokenizer_kinds.h"
#include "tests/text/helpers.h"

namespace jogak {
namespace {

TEST(Refused, EveryKindWithFilePlaceAndReason) {
  const std::string folder = folder_for_test();
  for (const MalformedTokenizer& one : malformed_tokenizers()) {
    SCOPED_TRACE(text_of("kind ", one.kind, ": ", json_quote(one.bytes.substr(0, 200))));
    const std::string path = join_path(folder, one.name);
    write_file(path, one.bytes);
    const std::string error = error_of<FormatError>([&] { Tokenizer::load(path); });
    const std::string start = path + ": byte ";
    ASSERT_TRUE(error.starts_with(start)) << error;
    const size_t digits = error.find_first_not_of("0123456789", start.size());
    ASSERT_TRUE(digits > start.size() && error.substr(digits, 2) == ": ") << error;
    EXPECT_LE(std::stoull(error.substr(start.size())), one.bytes.size());
    EXPECT_NE(error.find(one.reason), std::string::npos) << error;
    EXPECT_LT(error.size(), path.size() + 300);
  }
}

// Tokens that look like bytes and are none are text.
TEST(Refused, NotTokensThatAreNoBytes) {
  const Tokenizer tokenizer = Tokenizer::from_json(
      R"({"model":{"type":"BPE","vocab":{"<0x-1>":0,"<0xZZ>":1,"<0x1>":2,"<0xF>":3,"<0x041>":4},)"
      R"("merges":[],"byte_fallback":true},"decoder":{"type":"ByteFallback"}})",
      "t.json");
  EXPECT_EQ(tokenizer.decode(std::vector{0, 1, 2, 3, 4}), "<0x-1><0xZZ><0x1><0xF><0x041>");
}

}  // namespace
}  // namespace jogak
