#include "app/data/text_lines.h"
#include "app/train/recipe.h"
#include "app/use/encoder.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

// The texts of a table: the column is the one the model was trained on, unless one is named.
void read_table_texts(const Context& c, const TakeLines& take) {
  if (!c.args.operands("TEXT").empty()) Complaint{c.lang()}.together("TEXT", "--data");
  const std::string file = c.args.text("data");
  const std::string column = c.args.given("text-column")
                                 ? c.args.text("text-column")
                                 : run_recipe(c.args.operand("DIR")).data.text_column;
  std::vector<TextLine> lines;
  for (TextLine& line : table_texts(file, column)) {
    lines.push_back(std::move(line));
    if (lines.size() < 1024) continue;
    take(lines);
    lines.clear();
  }
  if (!lines.empty()) take(lines);
}

// A line for each label: label, score and text or file, with tabs between; of tokens: token, label
// and score, an empty line after each text.
void write(const Context& c, const Encoder& encoder, const Classification& found) {
  if (c.args.flag("json")) return c.out.line(to_json(found).dump());
  for (const LabelScore& one : found.labels)
    c.out.line(text_of(one.label, "\t", fixed(one.score, 4), "\t", found.input));
  for (const TokenLabel& one : found.tokens)
    c.out.line(text_of(one.word, "\t", one.best.label, "\t", fixed(one.best.score, 4)));
  if (encoder.labels_tokens()) c.out.line("");
}

int do_classify(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  const Encoder encoder(args.operand("DIR"));
  const ClassifyOptions options{.top_k = static_cast<size_t>(args.integer("top-k")),
                                .pair = args.flag("pair"),
                                .words = args.flag("words"),
                                .labels = args.list("label"),
                                .batch = static_cast<size_t>(args.integer("batch"))};
  encoder.check(options);
  const auto take = [&](std::span<const TextLine> inputs) {
    for (const Classification& one : encoder.classify(inputs, options)) write(c, encoder, one);
    c.out.flush();
  };
  if (args.given("data"))
    read_table_texts(c, take);
  else
    read_inputs(c, encoder, take);
  return 0;
}

}  // namespace

Command classify_command() {
  Command out{.name = "classify",
              .group = Group::use,
              .summary = {"글, 토큰, 그림에 레이블을 붙입니다",
                          "labels of texts, their tokens, or images"}};
  out.operands = {
      {"DIR",
       {"레이블을 배운 BERT나 ViT의 디렉터리", "directory of a BERT or ViT that learnt labels"}},
      texts_operand({"글, 또는 PNG, JPEG, IDX 파일; 없으면 표준 입력의 줄마다",
                     "texts, or PNG, JPEG or IDX files; without them lines of standard input"}),
  };
  out.options = {
      {.name = "top-k",
       .help = {"글마다 보일 레이블 수", "labels to show for each text"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = std::to_string(ClassifyOptions{}.top_k),
       .low = 1,
       .high = 1e6},
      {.name = "pair",
       .help = {"글 하나가 탭으로 나뉜 두 글", "a text is two, with a tab between them"},
       .kind = Kind::flag},
      {.name = "words",
       .help = {"토큰에 레이블을 붙이는 모델: 띄어 쓴 단어마다",
                "a model that labels tokens: for each word between blanks"},
       .kind = Kind::flag},
      {.name = "label",
       .help = {"그림과 글을 견주는 모델(clip): 고를 말; 여러 번",
                "a model that matches images and texts (clip): a text to choose from; repeatable"},
       .value = "TEXT",
       .times = Times::repeated},
      {.name = "data",
       .help = {"글이 든 표: .csv, .tsv, .jsonl; .gz와 .zst도",
                "a table of texts: .csv, .tsv, .jsonl, .gz and .zst too"},
       .value = "FILE"},
      {.name = "text-column",
       .help = {"--data: 글이 있는 열 (기본: 학습한 대로)",
                "--data: the column of the texts (default: as it was trained)"},
       .value = "NAME"},
      batch_option(ClassifyOptions{}.batch),
      device_option(),
      max_line_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak train recipes/bert-cls.toml --out runs/months",
       {"날짜에서 달을 읽는 작은 BERT", "a small BERT that tells the month of a date"}},
      {"jogak classify runs/months \"Friday, May 9th, 2031\" \"2031년 5월 9일\"",
       {"가장 그럴듯한 레이블", "the likeliest label"}},
      {"jogak data make dates - --count 5 | jogak classify runs/months --top-k 3 --json",
       {"줄마다 세 레이블, JSON으로", "three labels for each line, as JSON"}},
      {"jogak train recipes/vit-shapes.toml --out runs/shapes",
       {"도형을 알아보는 작은 ViT", "a small ViT that tells shapes apart"}},
      {"jogak data make shapes shapes --count 60", {"그림 60장", "60 pictures"}},
      {"jogak classify runs/shapes shapes/circle/*.png --top-k 3",
       {"그림마다 세 레이블", "three labels for each image"}},
  };
  out.run = do_classify;
  return out;
}

}  // namespace jogak::cli
