#include <algorithm>

#include "app/use/encoder.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

int do_rank(const Context& c) {
  const Args& args = c.args;
  if (!args.given("query")) Complaint{c.lang()}.missing_option("--query");
  use_threads(args);
  use_device(args);
  const Encoder encoder(args.operand("DIR"));
  const RankOptions options{.batch = static_cast<size_t>(args.integer("batch"))};
  encoder.check(options);
  std::vector<TextLine> texts;  // an order is of all of them
  read_texts(c, [&](std::span<const TextLine> some) {
    texts.insert(texts.end(), some.begin(), some.end());
  });
  std::vector<RankedText> ranked = encoder.rank(args.text("query"), texts, options);
  if (args.given("top-k"))
    ranked.resize(std::min(ranked.size(), static_cast<size_t>(args.integer("top-k"))));
  if (args.flag("json")) return c.out.line(to_json(args.text("query"), ranked).dump()), 0;
  for (const RankedText& one : ranked) c.out.line(text_of(fixed(one.score, 4), "\t", one.text));
  return 0;
}

}  // namespace

Command rank_command() {
  Command out{.name = "rank",
              .group = Group::use,
              .summary = {"글들을 물음에 맞는 차례로 놓습니다",
                          "orders texts by how well they fit a query"}};
  out.operands = {
      {"DIR",
       {"글 두 개에 점수 하나를 주는 모델(교차 인코더)의 디렉터리",
        "directory of a model that gives a pair of texts one score (a cross-encoder)"}},
      texts_operand(
          {"글들; 없으면 표준 입력의 줄마다", "texts; without them lines of standard input"}),
  };
  out.options = {
      {.name = "query", .help = {"물음", "the query"}, .value = "TEXT"},
      {.name = "top-k",
       .help = {"맨 앞의 몇 개만 (기본: 모두)", "the first of them only (default: all)"},
       .kind = Kind::integer,
       .value = "N",
       .low = 1,
       .high = 1e9},
      batch_option(RankOptions{}.batch),
      device_option(),
      max_line_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak data make dates dates.txt --count 200", {"줄마다 날짜", "a date on each line"}},
      {"jogak tokenizer train --type wordpiece --vocab-size 300 --files dates.txt --out tok",
       {"글에서 토크나이저를", "a tokenizer from it"}},
      {"jogak new models/ranker --family bert --preset tiny --set num_labels=1 --set "
       "'architectures=[\"BertForSequenceClassification\"]' --tokenizer tok",
       {"점수 하나를 주는 새 모델; 배운 모델도 같습니다",
        "a fresh model with one score; one that learnt is used alike"}},
      {"jogak rank models/ranker --query \"May 9th\" \"2031-05-09\" \"June 1st, 1999\"",
       {"잘 맞는 글부터, 점수와 함께", "the best fitting text first, with its score"}},
      {"jogak rank models/ranker --query \"May 9th\" --top-k 3 --json < dates.txt",
       {"줄마다 글 하나, 앞의 셋을 JSON 하나로",
        "a text on each line, the first three as one JSON object"}},
  };
  out.run = do_rank;
  return out;
}

}  // namespace jogak::cli
