#include "app/use/forward.h"

#include "app/measure/parity.h"
#include "app/models/target.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/divided.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

int do_forward(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  if (args.given("example")) {
    check_target_file({args.text("example"), args.flag("overwrite")}, is_forward_file);
    write_example(args.operand("DIR"), args.text("example"));
    return 0;
  }
  for (const char* name : {"input", "output"})
    if (!args.given(name)) Complaint{c.lang()}.missing_option(std::string("--") + name);
  if (const auto code = start_others(args)) return *code;
  const Division division(processes_of(args), &stop_flag());
  run_forward({.directory = args.operand("DIR"),
               .input = args.text("input"),
               .output = args.text("output"),
               .attentions = args.flag("attentions"),
               .hidden = args.flag("hidden"),
               .grads = args.flag("grads"),
               .allow_nonfinite = args.flag("allow-nonfinite"),
               .overwrite = args.flag("overwrite"),
               .write = division.first(),
               .dtype = args.text("dtype")});
  return 0;
}

}  // namespace

Command forward_command() {
  Command out{.name = "forward",
              .group = Group::ship,
              .summary = {"이름 붙은 텐서로 모델을 한 번 계산합니다",
                          "runs the bare model on named tensors"}};
  const auto flag = [](const char* name, Words help) {
    return Option{.name = name, .help = help, .kind = Kind::flag};
  };
  out.operands = {{"DIR", {"모델 디렉터리", "a model directory"}}};
  out.options = {
      {.name = "input",
       .help =
           {"input_ids, attention_mask, token_type_ids, position_ids, labels (번역: "
            "decoder_input_ids, "
            "decoder_attention_mask; 물음: start_positions, end_positions; 그림: pixel_values; "
            "시계열: past_values, past_observed_mask, future_values)가 든 파일",
            "the file with input_ids, attention_mask, token_type_ids, position_ids, labels (of "
            "translators decoder_input_ids, decoder_attention_mask; of questions start_positions, "
            "end_positions; of images pixel_values; of series past_values, past_observed_mask, "
            "future_values)"},
       .value = "FILE"},
      {.name = "output",
       .help = {"logits와 loss를 쓸 파일 (헤드가 없으면 last_hidden_state, pooler_output; 물음은 "
                "start_logits, end_logits; 시계열은 prediction_outputs; clip은 logits_per_image, "
                "image_embeds, text_embeds)",
                "the file for logits and loss (without a head last_hidden_state, pooler_output; of "
                "questions start_logits, end_logits; of series prediction_outputs; of clip "
                "logits_per_image, image_embeds, text_embeds)"},
       .value = "FILE"},
      {.name = "example",
       .help = {"모델이 받는 텐서를 보기로 써 두고 끝냅니다",
                "only write an example of the tensors this model takes"},
       .value = "FILE"},
      flag("attentions", {"어텐션 가중치도: attentions.N", "attention weights too: attentions.N"}),
      flag("hidden",
           {"층마다의 값도: hidden_states.N", "the values after each layer too: hidden_states.N"}),
      flag("grads", {"loss의 기울기도: grads.이름", "the gradients of the loss too: grads.NAME"}),
      flag("allow-nonfinite", {"NaN과 무한대도 허용", "let NaN and infinity pass"}),
      overwrite_option(),
      dtype_option(),
      device_option(),
      threads_option(),
  };
  for (const Option& option : division_options()) out.options.push_back(option);
  out.examples = {
      {"jogak forward runs/quickstart --example in.safetensors",
       {"이 모델이 받는 텐서의 보기", "an example of the tensors this model takes"}},
      {"jogak forward runs/quickstart --input in.safetensors --output out.safetensors --grads",
       {"로짓, 손실, 기울기", "logits, loss and gradients"}},
  };
  out.run = do_forward;
  return out;
}

}  // namespace jogak::cli
