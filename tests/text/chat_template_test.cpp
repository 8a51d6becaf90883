// Chat templates, kinds 131 to 135 of the list of malformed files. No command renders one: whatever
// stands there is text, is not run, and does not keep a tokenizer from loading.
#include "tests/support/temp_dir.h"
#include "tests/text/helpers.h"

namespace jogak {
namespace {

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(ChatTemplates, AreTextThatNobodyRuns) {
  const TempDir dir;
  write_file(dir / "tokenizer.json",
             R"({"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0,"b":1}}})");
  const std::string templates[] = {
      "{% for m in messages %}{{ m.content",                            // 131 unclosed
      "{% endfor %}",                                                   // 131
      "{% for i in range(1000000000) %}{{ i }}{% endfor %}",            // 132
      "{% set x = namespace(a=1) %}{% for i in x %}{% endfor %}",       // 132
      "{{ 'a' * 100000000000 }}",                                       // 133
      "{{ ''.__class__.__mro__[1].__subclasses__() }}",                 // 134
      "{{ cycler.__init__.__globals__.os.popen('exit').read() }}",      // 134
      repeated("{% if a %}", 1'000'000) + repeated("{% endif %}", 10),  // 135
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",                // 135
  };
  for (const std::string& one : templates) {
    const std::string text = json_quote(one);
    for (const std::string& value :
         {text, R"([{"name":"default","template":)" + text + "}]", R"({"default":)" + text + "}"}) {
      write_file(dir / "tokenizer_config.json",
                 R"({"eos_token":"b","chat_template":)" + value + "}");
      write_file(dir / "chat_template.jinja", one);
      const Tokenizer tokenizer = Tokenizer::load(dir.path());
      EXPECT_EQ(tokenizer.encode_ids("b"), std::vector<int>{1});
      EXPECT_EQ(tokenizer.role_id("eos_token"), 1);
    }
  }
  // The file around it is checked as any other.
  write_file(dir / "tokenizer_config.json", R"({"chat_template":"{% for)");
  const std::string cut = error_of<FormatError>([&] { Tokenizer::load(dir.path()); });
  EXPECT_TRUE(cut.starts_with(dir / "tokenizer_config.json: byte ")) << cut;
  write_file(dir / "tokenizer_config.json",
             R"({"chat_template":)" + repeated("[", 65) + repeated("]", 65) + "}");
  EXPECT_NE(error_of<FormatError>([&] { Tokenizer::load(dir.path()); }).find("deep"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
