#include "app/use/encoder.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

// A line for each answer: the answer, its score and where it stands, with tabs between.
void write(const Context& c, const AnsweredText& found) {
  if (c.args.flag("json")) return c.out.line(to_json(found).dump());
  for (const Answer& one : found.answers)
    c.out.line(text_of(one.text, "\t", fixed(one.score, 4), "\t", one.start, "-", one.end));
}

int do_answer(const Context& c) {
  const Args& args = c.args;
  if (!args.given("question")) Complaint{c.lang()}.missing_option("--question");
  use_threads(args);
  use_device(args);
  const Encoder encoder(args.operand("DIR"));
  const AnswerOptions options{.top_k = static_cast<size_t>(args.integer("top-k")),
                              .tokens = static_cast<size_t>(args.integer("max-answer")),
                              .batch = static_cast<size_t>(args.integer("batch"))};
  encoder.check(options);
  read_inputs(c, encoder, [&](std::span<const TextLine> inputs) {
    for (const AnsweredText& one : encoder.answer(args.text("question"), inputs, options))
      write(c, one);
    c.out.flush();
  });
  return 0;
}

}  // namespace

Command answer_command() {
  Command out{
      .name = "answer",
      .group = Group::use,
      .summary = {"글 안에서 물음의 답을 찾습니다", "finds the answer to a question in a text"}};
  out.operands = {
      {"DIR",
       {"물음에 답하기를 배운 BERT의 디렉터리", "directory of a BERT that learnt to answer"}},
      texts_operand({"답이 있는 글; 없으면 표준 입력의 줄마다",
                     "texts that hold the answer; without them lines of standard input"}),
  };
  out.options = {
      {.name = "question", .help = {"물음", "the question"}, .value = "TEXT"},
      {.name = "top-k",
       .help = {"글마다 보일 답의 수", "answers to show for each text"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = std::to_string(AnswerOptions{}.top_k),
       .low = 1,
       .high = 1000},
      {.name = "max-answer",
       .help = {"답의 최대 토큰 수", "most tokens of an answer"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = std::to_string(AnswerOptions{}.tokens),
       .low = 1,
       .high = 1e6},
      batch_option(AnswerOptions{}.batch),
      device_option(),
      max_line_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak train recipes/bert-answers.toml --out runs/answers",
       {"날짜에서 해, 달, 날을 찾는 작은 BERT", "a small BERT that finds year, month and day"}},
      {"jogak answer runs/answers --question month \"Friday, May 9th, 2031 = 2031-05-09\"",
       {"답과 점수, 글 안의 자리", "the answer, its score and its place in the text"}},
      {"jogak data make dates - --count 5 | jogak answer runs/answers --question year --json",
       {"줄마다 답 하나, JSON으로", "an answer for each line, as JSON"}},
  };
  out.run = do_answer;
  return out;
}

}  // namespace jogak::cli
