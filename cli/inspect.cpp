#include "app/show/inspect.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/complain.h"
#include "cli/inspect_options.h"

namespace jogak::cli {
namespace {

// WHAT and DIR come in either order.
void take_operands(const Context& c, InspectCommand& command) {
  command.what = c.args.operand("WHAT"), command.directory = c.args.operand("DIR");
  const auto& known = inspect_topics();
  const auto is_topic = [&](const std::string& word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  };
  if (!is_topic(command.what) && is_topic(command.directory))
    std::swap(command.what, command.directory);
  if (!is_topic(command.what)) Complaint{c.lang()}.choice("WHAT", command.what, known);
}

int do_inspect(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  check_drawing(args, "out", {"image", "csv", "input"});
  use_device(args);
  InspectCommand command;
  take_operands(c, command);
  command.lang = c.lang();
  command.input = input_choice(args);
  if (args.given("length")) command.input.length = args.integer("length");
  AttentionChoice& a = command.attention;
  if (args.given("layer")) {
    a.layer = args.text("layer") == "all" ? AttentionChoice::kAll : whole_number(c, "layer");
    command.weights.layer = std::max<int64_t>(a.layer, -1);
  }
  if (args.given("head")) a.head = args.integer("head");
  a.row = args.integer("row");
  a.kind = args.text("kind"), a.transpose = args.flag("transpose");
  command.weights.name = args.text("name");
  command.off = args.text("off");
  show(c, inspect(command));
  return 0;
}

std::vector<Option> inspect_options() {
  return {
      {.name = "layer",
       .help = {"attention, weights: 층 (0부터; attention의 기본은 마지막, all은 모두)",
                "attention, weights: which layer, from 0 (attention: default the last; all: every "
                "one)"},
       .value = "N|all"},
      {.name = "head",
       .help = {"attention: 헤드 하나 (0부터; 기본은 모두)",
                "attention: one head, from 0 (default: all)"},
       .kind = Kind::integer,
       .value = "N",
       .low = 0},
      {.name = "kind",
       .help = {"attention: 어느 어텐션", "attention: which one"},
       .value = "KIND",
       .choices = {"self", "encoder", "cross", "series", "text"}},
      {.name = "row",
       .help = {"입력의 몇째 행 (0부터)", "which row of the input, from 0"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "0",
       .low = 0},
      {.name = "name",
       .help = {"weights: 이름(의 끝)이 이런 가중치만", "weights: only those whose name ends so"},
       .value = "NAME"},
      {.name = "off",
       .help = {"ablate처럼 부분을 끈 채로", "with parts switched off, as ablate does"},
       .value = "PARTS"},
      {.name = "transpose",
       .help = {"히트맵의 행과 열을 바꿉니다", "heat maps the other way round"},
       .kind = Kind::flag},
  };
}

}  // namespace

Command inspect_command() {
  Command out{
      .name = "inspect",
      .group = Group::look,
      .summary = {"모델의 안을 그림과 표로 봅니다", "looks inside a model: pictures and tables"}};
  out.operands = {{"WHAT",
                   {"attention, positions, shapes, trace, heads, gradients, lens 또는 weights",
                    "attention, positions, shapes, trace, heads, gradients, lens or weights"}},
                  {"DIR", {"모델 디렉터리", "a model directory"}}};
  out.options = inspect_options();
  add_input_options(out);
  out.options.push_back({.name = "length",
                         .help = {"입력이 없을 때 토큰 수", "tokens, where no input is given"},
                         .kind = Kind::integer,
                         .value = "N",
                         .low = 2,
                         .high = 4096});
  add_output_options(out);
  out.examples = {
      {"jogak inspect attention runs/quickstart --text \"May 9th, 2031\" --layer 0 --head 1",
       {"한 헤드의 어텐션을 화면에", "one head's attention on the screen"}},
      {"jogak inspect attention runs/quickstart --text \"May 9th, 2031\" --kind cross --out "
       "cross.svg",
       {"번역이 원문의 어디를 보는지 그림으로", "where a translation looks, as a picture"}},
      {"jogak inspect positions runs/quickstart --out positions.png",
       {"위치 인코딩: 히트맵, 파동, 거리에 따른 닮음",
        "positions: heat map, waves, similarity by distance"}},
      {"jogak inspect lens runs/quickstart --text \"May 9th, 2031\" --out lens.html",
       {"층마다 무엇을 예측하는지", "what each layer would answer"}},
      {"jogak inspect shapes runs/quickstart", {"단계마다의 모양", "the shape of every step"}},
  };
  out.run = do_inspect;
  return out;
}

}  // namespace jogak::cli
