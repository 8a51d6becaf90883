#include "app/show/explain.h"

#include <algorithm>

#include "base/log.h"
#include "base/terminal.h"
#include "cli/command.h"
#include "cli/complain.h"

namespace jogak::cli {
namespace {

const std::vector<ExplainInput>& inputs() {
  static const std::vector<ExplainInput> all = explain_input_list();
  return all;
}

std::string option_name(const ExplainInput& input) {  // w_o is --w-o; --w_o works too
  std::string out = input.name;
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string topic_list(Lang lang) {
  constexpr size_t kWidth = 18;
  std::string out;
  for (const ExplainSection& section : explain_topic_list(lang)) {
    out += (out.empty() ? "" : "\n") + section.title + "\n";
    for (const ExplainTopic& topic : section.topics)
      out += "  " + pad_right(topic.name, kWidth) + topic.title + "\n";
  }
  return out;
}

// Exercises and their marks take no topic. Wrong answers leave with 1, as a failed test does.
int run_without_topic(const Context& c) {
  const Args& args = c.args;
  if (args.given("check")) {
    const CheckedExercises checked =
        check_exercises(args.text("check"), c.lang(), args.flag("json"));
    c.out.write(checked.text);
    return checked.right ? 0 : 1;
  }
  const std::string seed = args.given("seed") ? args.text("seed") : "1";
  c.out.write(run_exercises(args.text("exercises"), seed, c.lang()));
  return 0;
}

int do_explain(const Context& c) {
  const Args& args = c.args;
  if (args.given("check") && args.given("exercises"))
    Complaint{c.lang()}.together("--check", "--exercises");
  if (args.given("check") || args.given("exercises")) {
    const char* option = args.given("check") ? "--check" : "--exercises";
    if (!args.operand("TOPIC").empty()) Complaint{c.lang()}.together(option, "TOPIC");
    return run_without_topic(c);
  }
  if (args.operand("TOPIC").empty()) {
    c.out.write(topic_list(c.lang()));
    return 0;
  }
  if (args.flag("json") && args.given("as")) Complaint{c.lang()}.together("--json", "--as");
  check_drawing(args, "svg");
  ExplainCommand command;
  command.topic = args.operand("TOPIC");
  command.level = args.text("level");
  command.lang = c.lang();
  command.causal = args.flag("causal");
  command.transpose = args.flag("transpose");
  command.all = args.flag("all");
  command.form = args.flag("json") ? "json" : args.given("as") ? args.text("as") : "text";
  command.svg = args.text("svg");
  command.text = args.text("text");
  command.model = args.text("model");
  command.layer = args.integer("layer");
  command.head = args.integer("head");
  command.colour = Output::colour();
  command.columns = Output::columns();
  for (const ExplainInput& input : inputs())
    if (const std::string option = option_name(input); args.given(option))
      command.inputs[input.name] = args.text(option);
  c.out.write(run_explain(command));
  if (!command.svg.empty()) log_info(c.lang() == Lang::ko ? "그림: " : "picture: ", command.svg);
  return 0;
}

std::vector<Option> explain_options() {
  return {
      {.name = "level",
       .help = {"얼마나 자세히", "how deep"},
       .value = "LEVEL",
       .fallback = "student",
       .choices = {"story", "student", "math"}},
      json_option(),
      {.name = "as",
       .help = {"실행할 수 있는 파이썬 코드로", "as Python code that runs"},
       .value = "LIBRARY",
       .choices = {"numpy", "pytorch"}},
      overwrite_option(),
      {.name = "svg",
       .help = {"그림을 파일로", "also write the picture to a file"},
       .value = "FILE"},
      {.name = "all",
       .help = {"길어도 줄이지 않고 모두 씁니다", "every table and row, however long"},
       .kind = Kind::flag},
      {.name = "text",
       .help = {"sentence-matrix 등: 행마다 붙일 단어",
                "sentence-matrix and others: the words of the rows"},
       .value = "WORDS"},
      {.name = "model",
       .help = {"shapes, wirings, qkv: 이 모델의 모양, 그림, 헤드",
                "shapes, wirings, qkv: of this model"},
       .value = "DIR"},
      {.name = "layer",
       .help = {"qkv: 모델의 층, 0부터", "qkv: the model's layer, from 0"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "0"},
      {.name = "head",
       .help = {"qkv: 그 층의 헤드, 0부터", "qkv: the head in that layer, from 0"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "0"},
      {.name = "exercises",
       .help = {"채워 넣을 연습 문제: 1에서 8장, 또는 all (--seed로 다른 수)",
                "exercises to fill in: chapter 1 to 8, or all (--seed for other numbers)"},
       .value = "CHAPTER"},
      {.name = "check",
       .help = {"채운 연습 문제를 채점합니다", "marks exercises that were filled in"},
       .value = "FILE"},
      {.name = "causal",
       .help = {"attention: 뒤의 토큰을 가립니다", "attention: hide the tokens that come later"},
       .kind = Kind::flag},
      {.name = "transpose",
       .help = {"히트맵의 행과 열을 바꿉니다", "heat maps the other way round"},
       .kind = Kind::flag},
  };
}

}  // namespace

Command explain_command() {
  Command out;
  out.name = "explain";
  out.group = Group::learn;
  out.summary = {"트랜스포머의 한 부분을 공식, 모양, 수와 함께 단계별로 풀어 보입니다",
                 "works one part of a Transformer through, with formula, shapes and numbers"};
  out.operands = {
      {"TOPIC", {"주제; 없으면 주제 목록", "what to explain; none: the list of topics"}, true}};
  out.options = explain_options();
  for (const ExplainInput& input : inputs())
    out.options.push_back(
        {.name = option_name(input), .help = {input.ko, input.en}, .value = input.value});
  out.examples = {
      {"jogak explain softmax --x 2,1,0.1",
       {"직접 고른 수로 소프트맥스", "softmax of your own numbers"}},
      {"jogak explain attention --causal --level math",
       {"인과 마스크가 있는 어텐션", "attention with a causal mask"}},
      {"jogak explain attention --q \"1,0;0,1\" --k \"1,0;0,1\" --v \"1,2;3,4\"",
       {"행은 ;로 나눕니다. @파일은 파일에서 읽습니다", "rows end with ;, and @FILE reads a file"}},
      {"jogak explain positions --svg positions.svg",
       {"위치 인코딩의 히트맵을 그림으로", "the heat map of positional encodings as a picture"}},
      {"jogak explain --exercises 3 --seed 7 > three.txt",
       {"3장의 연습 문제", "the exercises of chapter 3"}},
      {"jogak explain --check three.txt", {"채운 답의 채점", "marks of what was filled in"}},
      {"jogak explain layernorm --as pytorch",
       {"같은 계산을 PyTorch 코드로", "the same as PyTorch code"}},
  };
  out.run = do_explain;
  out.more_help = topic_list;
  return out;
}

}  // namespace jogak::cli
