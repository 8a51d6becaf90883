#include "app/show/ablate.h"

#include "cli/command.h"
#include "cli/inspect_options.h"

namespace jogak::cli {
namespace {

int do_ablate(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  check_drawing(args, "out", {"image", "csv", "input", "from", "from-input"});
  use_device(args);
  AblateCommand command{.directory = args.operand("DIR")};
  command.input = input_choice(args);
  for (const std::string& part : args.list("off"))
    command.off += (command.off.empty() ? "" : ",") + part;
  command.data = args.text("data");
  command.each = args.text("each"), command.patch = args.text("patch");
  command.from = command.input;  // the same label and target, another text, image or series
  command.from.text = command.from.image = command.from.csv = args.text("from");
  command.from.file = args.text("from-input");
  if (args.given("from-target")) command.from.target = args.text("from-target");
  if (args.given("at")) command.at = args.integer("at");
  command.top = args.integer("top-k");
  command.lang = c.lang();
  show(c, ablate(command));
  return 0;
}

std::vector<Option> ablate_options() {
  return {
      {.name = "off",
       .help = {"끌 부분: head:L.H, residual:L, norm:L, ffn:L, attention:L, layer:L, cross:L, "
                "mask, scale, positions; 번호 없이는 모든 층",
                "parts to switch off: head:L.H, residual:L, norm:L, ffn:L, attention:L, layer:L, "
                "cross:L, mask, scale, positions; without a number in every layer"},
       .value = "PARTS",
       .times = Times::list},
      {.name = "each",
       .help = {"이런 부분을 하나씩 모두 꺼 봅니다",
                "switches every such part off, one after the other"},
       .value = "PART",
       .choices = {"head", "layer", "ffn", "attention", "norm", "residual", "cross"}},
      {.name = "data",
       .help =
           {"글 하나 대신 이 데이터 전체의 손실로, --off나 --each와 함께; 학습한 대로 읽습니다",
            "the loss over this whole file instead of one input, with --off or --each; it is read "
            "as the model was trained"},
       .value = "FILE"},
      {.name = "patch",
       .help = {"다른 입력에서 가져올 부분, --from과 함께",
                "parts to take from another input's run, with --from"},
       .value = "PARTS"},
      {.name = "from",
       .help = {"다른 입력: 글, 그림이나 CSV", "the other input: a text, an image or a CSV"},
       .value = "INPUT"},
      {.name = "from-target",
       .help = {"번역 모델: 그 번역", "of a translator: its translation"},
       .value = "TEXT"},
      {.name = "from-input",
       .help = {"다른 입력을 텐서 파일로", "the other input as a file of tensors"},
       .value = "FILE"},
      {.name = "at",
       .help = {"patch: 이 토큰만 (0부터)", "patch: this token alone, from 0"},
       .kind = Kind::integer,
       .value = "N",
       .low = 0},
      {.name = "top-k",
       .help = {"보일 답의 수", "answers to show"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "5",
       .low = 1,
       .high = 1000},
  };
}

}  // namespace

Command ablate_command() {
  Command out{.name = "ablate",
              .group = Group::look,
              .summary = {"모델의 부분을 끄고 전과 후를 견줍니다",
                          "switches parts of a model off and compares"}};
  out.operands = {{"DIR", {"모델 디렉터리", "a model directory"}}};
  out.options = ablate_options();
  add_input_options(out);
  add_output_options(out);
  out.examples = {
      {"jogak ablate runs/quickstart --text \"May 9th, 2031\" --target 2031-05-09 --off "
       "head:0.1,ffn:1",
       {"헤드 하나와 피드포워드 하나 없이", "without one head and one feed-forward"}},
      {"jogak ablate runs/quickstart --text \"May 9th, 2031\" --target 2031-05-09 --each head "
       "--out heads.svg",
       {"어느 헤드가 중요한지 그림으로", "which head matters, as a picture"}},
      {"jogak ablate runs/quickstart --text \"May 9th, 2031\" --target 2031-05-09 --off positions",
       {"위치를 모르면", "not knowing positions"}},
      {"jogak ablate runs/quickstart --text \"May 9th, 2031\" --target 2031-05-09 --patch "
       "layer:encoder.1 --from \"May 7th, 2031\"",
       {"다른 글의 활성값을 옮겨 넣기", "another text's activations put into this run"}},
      {"jogak data make dates dates.txt --count 100", {"견줄 데이터", "data to compare over"}},
      {"jogak ablate runs/quickstart --data dates.txt --each ffn",
       {"글 하나가 아니라 데이터 전체의 손실로", "the loss over all of it, not of one text"}},
  };
  out.run = do_ablate;
  return out;
}

}  // namespace jogak::cli
