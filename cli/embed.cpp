#include "app/use/encoder.h"
#include "base/format.h"
#include "base/shortest.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

Pool pool_of(const std::string& name) {
  if (name == "cls") return Pool::cls;
  return name == "max" ? Pool::max : Pool::mean;
}

// Numbers with a space between them; with --compare the cosine, a tab and the text.
void write(const Context& c, const std::vector<float>& first, const InputVector& one) {
  const bool json = c.args.flag("json");
  if (c.args.flag("compare")) {
    const Similarity near = similarity(first, one);
    c.out.line(json ? to_json(near).dump() : text_of(fixed(near.cosine, 4), "\t", near.input));
    return;
  }
  if (json) return c.out.line(to_json(one).dump());
  std::string numbers;
  for (const float x : one.vector) numbers += (numbers.empty() ? "" : " ") + shortest(x);
  c.out.line(numbers);
}

int do_embed(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  if (args.flag("normalize") && args.flag("no-normalize"))
    Complaint{c.lang()}.together("--normalize", "--no-normalize");
  EmbedOptions options{.batch = static_cast<size_t>(args.integer("batch"))};
  if (args.given("pool")) options.pool = pool_of(args.text("pool"));
  options.texts = args.flag("text");
  if (args.flag("normalize")) options.normalize = true;
  if (args.flag("no-normalize")) options.normalize = false;
  const Encoder encoder(args.operand("DIR"));
  std::vector<float> first;  // what the others are compared with
  read_inputs(c, encoder, [&](std::span<const TextLine> inputs) {
    for (const InputVector& one : encoder.embed(inputs, options)) {
      if (first.empty()) first = one.vector;
      write(c, first, one);
    }
    c.out.flush();
  });
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
      flag("text", {"그림과 글을 견주는 모델(clip): 그림 파일이 아니라 글의 벡터",
                    "a model that matches images and texts (clip): vectors of texts, not of image "
                    "files"}),
      flag("compare", {"벡터 대신 첫째 글과의 코사인",
                       "instead of vectors, the cosine of each text with the first"}),
      batch_option(EmbedOptions{}.batch),
      device_option(),
      max_line_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak train recipes/bert-mlm.toml --out runs/hidden",
       {"가린 글자를 맞히는 작은 BERT", "a small BERT that fills in hidden characters"}},
      {"jogak embed runs/hidden \"May 9th, 2031\"", {"글 하나의 벡터", "the vector of a text"}},
      {"jogak embed runs/hidden --compare \"May 9th, 2031\" \"2031-05-09\" \"June 1st, 1999\"",
       {"어느 글이 첫째와 가까운지", "which text is near the first"}},
      {"jogak data make dates - --count 20 | jogak embed runs/hidden --json > vectors.jsonl",
       {"줄마다 벡터를 JSON으로", "a vector for each line, as JSON"}},
  };
  out.run = do_embed;
  return out;
}

}  // namespace jogak::cli
