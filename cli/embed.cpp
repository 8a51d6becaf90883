#include "app/use/embed.h"

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

Pool pool_of(const std::string& name) {
  if (name == "cls") return Pool::cls;
  return name == "max" ? Pool::max : Pool::mean;
}

int do_embed(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  if (args.flag("normalize") && args.flag("no-normalize"))
    Complaint{c.lang()}.together("--normalize", "--no-normalize");
  EmbedCommand command;
  command.directory = args.operand("DIR");
  if (args.given("pool")) command.pool = pool_of(args.text("pool"));
  if (args.flag("normalize")) command.normalize = true;
  if (args.flag("no-normalize")) command.normalize = false;
  command.json = args.flag("json");
  command.compare = args.flag("compare");
  command.batch = static_cast<size_t>(args.integer("batch"));
  command.line = [&](const std::string& line) { c.out.line(line); };
  command.flush = [&] { c.out.flush(); };
  read_texts(c, embed_lines(command));
  return 0;
}

}  // namespace

Command embed_command() {
  Command out{.name = "embed",
              .group = Group::use,
              .summary = {"글이나 그림마다 벡터 하나", "a vector for each text or image"}};
  out.operands = {
      {"DIR", {"BERT나 ViT 모델의 디렉터리", "directory of a BERT or ViT model"}},
      texts_operand({"글, 또는 PNG, JPEG, IDX 파일; 없으면 표준 입력의 줄마다",
                     "texts, or PNG, JPEG or IDX files; without them lines of standard input"}),
  };
  const auto flag = [](const char* name, Words help) {
    return Option{.name = name, .help = help, .kind = Kind::flag};
  };
  out.options = {
      {.name = "pool",
       .help =
           {"토큰의 벡터를 모으는 법 (기본: 1_Pooling/config.json대로, 없으면 mean, 그림은 cls)",
            "how the vectors of the tokens become one (default: as 1_Pooling/config.json says, "
            "else mean; of images cls)"},
       .value = "HOW",
       .choices = {"cls", "mean", "max"}},
      flag("normalize",
           {"길이를 1로 (기본: modules.json대로)", "to length 1 (default: as modules.json says)"}),
      flag("no-normalize", {"길이를 그대로", "leave their lengths"}),
      flag("compare", {"벡터 대신 첫째 글과의 코사인",
                       "instead of vectors, the cosine of each text with the first"}),
      batch_option("32"),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak embed models/minilm \"The cat sleeps.\"", {"글 하나의 벡터", "the vector of a text"}},
      {"jogak embed models/minilm --compare \"The cat sleeps.\" \"A kitten naps.\" \"Stocks "
       "rose.\"",
       {"어느 글이 첫째와 가까운지", "which text is near the first"}},
      {"jogak embed models/minilm --json < texts.txt > vectors.jsonl",
       {"줄마다 벡터를 JSON으로", "a vector for each line, as JSON"}},
  };
  out.run = do_embed;
  return out;
}

}  // namespace jogak::cli
