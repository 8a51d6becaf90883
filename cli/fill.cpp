#include "app/use/encoder.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

// A line for each word: the word, its score and the text with it, with tabs between.
void write(const Context& c, const FilledText& found) {
  if (c.args.flag("json")) return c.out.line(to_json(found).dump());
  for (const FilledWord& one : found.words)
    c.out.line(text_of(one.word, "\t", fixed(one.score, 4), "\t", found.with(one)));
}

int do_fill(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  const Encoder encoder(args.operand("DIR"));
  const FillOptions options{.top_k = static_cast<size_t>(args.integer("top-k")),
                            .batch = static_cast<size_t>(args.integer("batch"))};
  encoder.check(options);
  read_inputs(c, encoder, [&](std::span<const TextLine> texts) {
    for (const FilledText& one : encoder.fill(texts, options)) write(c, one);
    c.out.flush();
  });
  return 0;
}

}  // namespace

Command fill_command() {
  Command out{.name = "fill",
              .group = Group::use,
              .summary = {"[MASK] 자리의 단어를 채웁니다", "fills in the words at [MASK]"}};
  out.operands = {
      {"DIR",
       {"가려진 단어를 배운 BERT의 디렉터리", "directory of a BERT that learnt masked words"}},
      texts_operand({"[MASK]가 든 글; 없으면 표준 입력의 줄마다",
                     "texts with [MASK] in them; without them lines of standard input"}),
  };
  out.options = {
      {.name = "top-k",
       .help = {"자리마다 보일 단어 수", "words to show for each place"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = std::to_string(FillOptions{}.top_k),
       .low = 1,
       .high = 1e6},
      batch_option(FillOptions{}.batch),
      device_option(),
      max_line_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak train recipes/bert-mlm.toml --out runs/hidden",
       {"가린 글자를 맞히는 작은 BERT", "a small BERT that fills in hidden characters"}},
      {"jogak fill runs/hidden \"2031년 5월 9일 = 2031-0[MASK]-09\"",
       {"가장 그럴듯한 다섯", "the five likeliest"}},
      {"echo \"2031년 5월 9일 = 2031-0[MASK]-09\" | jogak fill runs/hidden --top-k 1 --json",
       {"줄마다 하나, JSON으로", "one for each line, as JSON"}},
  };
  out.run = do_fill;
  return out;
}

}  // namespace jogak::cli
