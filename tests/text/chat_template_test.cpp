// Chat templates of a directory, and kinds 131 to 135 of the list of malformed files: whatever
// stands there does not keep a tokenizer from loading, and is refused by line when it is rendered.
#include "text/chat_template.h"

#include "tests/support/temp_dir.h"
#include "tests/text/helpers.h"

namespace jogak {
namespace {

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

std::string rendered(const ChatTemplates& templates, const ChatRequest& request) {
  return templates.render(request, {{"bos_token", "<s>"}}).bytes();
}

TEST(ChatTemplates, DoNotKeepATokenizerFromLoading) {
  const TempDir dir;
  write_file(dir / "tokenizer.json",
             R"({"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0,"b":1}}})");
  const std::string templates[] = {
      "{% for m in messages %}{{ m.content",                          // 131 unclosed
      "{% endfor %}",                                                 // 131
      "{% for i in range(1000000000) %}{{ i }}{% endfor %}",          // 132
      "{% set x = namespace(a=1) %}{% for i in x %}{% endfor %}",     // 132
      "{{ 'a' * 100000000000 }}",                                     // 133
      "{{ ''.__class__.__mro__[1].__subclasses__() }}",               // 134
      "{{ cycler.__init__.__globals__.os.popen('exit').read() }}",    // 134
      repeated("{% if a %}", 100'000) + repeated("{% endif %}", 10),  // 135
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",              // 135
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
    const std::string refused =
        error_of<FormatError>([&] { rendered(ChatTemplates::load(dir.path()), {}); });
    EXPECT_NE(refused.find("chat_template.jinja: line 1: "), std::string::npos) << refused;
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

TEST(ChatTemplates, AreFoundWhereTransformersPutsThem) {
  const TempDir dir;
  EXPECT_TRUE(ChatTemplates::load(dir.path()).empty());
  const std::string none =
      error_of<UsageError>([&] { rendered(ChatTemplates::load(dir.path()), {}); });
  EXPECT_NE(none.find("no chat template"), std::string::npos) << none;
  write_file(dir / "tokenizer_config.json", R"({"chat_template": "one {{ messages|length }}"})");
  EXPECT_EQ(rendered(ChatTemplates::load(dir.path()), {}), "one 0");
  write_file(dir / "tokenizer_config.json",
             R"({"chat_template": [{"name": "default", "template": "plain"},
                                   {"name": "tool_use", "template": "tools {{ tools|length }}"},
                                   {"name": "rag", "template": "rag {{ x }}"}]})");
  const ChatTemplates named = ChatTemplates::load(dir.path());
  EXPECT_EQ(rendered(named, {}), "plain");
  EXPECT_EQ(rendered(named, {.tools = Json::array({1, 2})}), "tools 2");
  EXPECT_EQ(rendered(named, {.more = Json::object({{"x", "y"}}), .name = "rag"}), "rag y");
  EXPECT_NE(error_of<UsageError>([&] {
              rendered(named, {.name = "r"});
            }).find("wanted one of default, rag, tool_use"),
            std::string::npos);
  write_file(dir / "chat_template.jinja", "{{ bos_token }}file\n");
  make_directories(dir / "additional_chat_templates");
  write_file(dir / "additional_chat_templates/rag.jinja", "beside");
  const ChatTemplates files = ChatTemplates::load(dir.path());
  EXPECT_EQ(rendered(files, {}), "<s>file");
  EXPECT_EQ(rendered(files, {.name = "rag"}), "beside");
}

TEST(ChatTemplates, GiveReasoningUnderTheNamesTemplatesRead) {
  const TempDir dir;
  write_file(dir / "chat_template.jinja",
             "{{ messages[0].thinking }}{{ messages[0].reasoning_content }}");
  const Json messages = parse_json(R"([{"role": "assistant", "reasoning": "hm"}])", "messages");
  EXPECT_EQ(rendered(ChatTemplates::load(dir.path()), {.messages = messages}), "hmhm");
}

}  // namespace
}  // namespace jogak
