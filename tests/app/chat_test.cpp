// What a message says may be a text or a list of parts, whatever the template knows.
#include "app/use/chat.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

ChatRequest asking(const std::string& content) {
  ChatRequest out;
  out.messages = parse_json(R"([{"role": "user", "content": )" + content + "}]", "messages");
  return out;
}

class ChatParts : public testing::Test {
 protected:
  std::string text(const std::string& source, const std::string& content) {
    write_file(dir / "chat_template.jinja", source);
    const std::vector<int> ids =
        chat_prompt(ChatTemplates::load(dir.path()), tokenizer, asking(content));
    return tokenizer.decode(ids, false);
  }
  const TempDir dir;
  const Tokenizer tokenizer = Tokenizer::load(test::golden_dir("tokenizers") + "/small_bpe.json");
};

TEST_F(ChatParts, BecomeOneTextForATemplateThatKnowsTexts) {
  const std::string plain =
      "{% for m in messages %}{% if 'x' in m.content %}!{% endif %}{{ m['content'] }}{% endfor %}";
  const std::string parts = R"([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])";
  EXPECT_EQ(text(plain, parts), text(plain, R"("a\nb")"));
  EXPECT_EQ(text(plain, R"([{"type": "text", "text": "one"}])"), "one");
}

TEST_F(ChatParts, StayPartsForATemplateThatGoesThroughThem) {
  const std::string parts = R"([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])";
  for (const std::string where : {"m.content", "m['content']", "m[\"content\"]"})
    EXPECT_EQ(text("{% for m in messages %}{% for part in " + where +
                       " %}({{ part.text }}){% endfor %}{% endfor %}",
                   parts),
              "(a)(b)")
        << where;
}

}  // namespace
}  // namespace jogak
