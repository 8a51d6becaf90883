#include "app/tools/plan.h"

#include <algorithm>

#include "base/format.h"
#include "cli/command.h"

namespace jogak::cli {
namespace {

PlanRequest plan_request(const Args& args) {
  PlanRequest out;
  out.model = plan_model(args.text("model"));
  if (args.given("seq")) out.model.context = args.integer("seq");
  out.gpu = plan_gpu(args.text("gpu"));
  out.gpus = args.integer("gpus");
  out.sequences = std::max<int64_t>(args.integer("batch") / out.model.context, 1);
  return out;
}

void show_plans(const Context& c, const PlanRequest& r, const std::vector<PlanStep>& all) {
  const bool ko = c.lang() == Lang::ko;
  TextTable table({ko ? "텐서" : "tensor", ko ? "파이프라인" : "pipeline", ko ? "데이터" : "data",
                   ko ? "스텝 (초)" : "step (s)", "MFU", ko ? "GPU 메모리" : "memory a GPU",
                   ko ? "기다림" : "waiting",
                   ko ? "10억 토큰의 GPU 시간" : "GPU hours/1e9 tokens"});
  const double tokens = static_cast<double>(r.sequences * r.model.context);
  const size_t most = std::min<size_t>(all.size(), 8);
  for (size_t i = 0; i < most; ++i) {
    const PlanStep& s = all[i];
    const double waiting = (s.bubble + s.tensor_wait + s.data_wait) / s.seconds;
    const double hours = s.seconds * static_cast<double>(r.gpus) / 3600 / tokens * 1e9;
    table.row({std::to_string(s.split.tensor), std::to_string(s.split.pipeline),
               std::to_string(s.split.data), fixed(s.seconds, 3), fixed(100 * s.mfu, 1) + " %",
               format_bytes(static_cast<uint64_t>(s.memory)), fixed(100 * waiting, 0) + " %",
               fixed(hours, 0)});
  }
  c.out.line(text_of(r.model.name, ", ", format_count(static_cast<int64_t>(r.model.parameters())),
                     ko ? " 매개변수, " : " parameters, ", r.gpus, " ", r.gpu.name, ", ",
                     format_count(r.sequences), " x ", format_count(r.model.context),
                     ko ? " 토큰" : " tokens a step"));
  c.out.write(table.text());
  if (c.args.given("price"))
    c.out.line(text_of(ko ? "10억 토큰의 값: " : "cost of 1e9 tokens: ",
                       fixed(all[0].seconds * static_cast<double>(r.gpus) / 3600 / tokens * 1e9 *
                                 c.args.number("price"),
                             0)));
}

int do_plan(const Context& c) {
  const PlanRequest request = plan_request(c.args);
  const std::vector<PlanStep> all = plan_training(request);
  if (!c.args.flag("json")) {
    show_plans(c, request, all);
    return 0;
  }
  Json others = Json::array();
  for (const PlanStep& step : all) others.push(to_json(request, step));
  Json best = to_json(request, all[0]);
  c.out.line(best.set("choices", std::move(others)).dump());
  return 0;
}

}  // namespace

Command plan_command() {
  Command out{.name = "plan",
              .group = Group::ship,
              .summary = {"많은 GPU에서의 학습 시간, 메모리, MFU를 예측합니다",
                          "predicts time, memory and MFU of training on many GPUs"}};
  const auto count = [](const char* name, Words help, std::string fallback) {
    return Option{.name = name,
                  .help = help,
                  .kind = Kind::integer,
                  .value = "N",
                  .fallback = std::move(fallback),
                  .low = 1};
  };
  out.options = {
      {.name = "model",
       .help = {"gpt2, llama, 또는 config.json이나 그 디렉터리",
                "gpt2, llama, or a config.json or its directory"},
       .value = "MODEL",
       .fallback = "llama"},
      {.name = "gpu",
       .help = {"h200, h100, a100, 또는 JSON 파일", "h200, h100, a100, or a JSON file"},
       .value = "GPU",
       .fallback = "h100"},
      count("gpus", {"GPU 수", "how many GPUs"}, "8"),
      count("batch", {"한 스텝의 토큰 수", "tokens a step"}, "1048576"),
      count("seq",
            {"시퀀스의 토큰 수 (기본: 모델대로)", "tokens a sequence (default: the model's)"}, ""),
      {.name = "price",
       .help = {"GPU 한 시간의 값", "what a GPU costs an hour"},
       .kind = Kind::number,
       .value = "X",
       .low = 0},
      json_option(),
  };
  out.examples = {
      {"jogak plan --model llama --gpus 64 --gpu h100 --batch 1048576",
       {"LLaMA 7B를 H100 64개에", "LLaMA 7B on 64 H100"}},
      {"jogak plan --model gpt2 --gpus 8 --gpu a100 --json",
       {"GPT-2를, JSON으로", "GPT-2, as JSON"}},
  };
  out.run = do_plan;
  return out;
}

}  // namespace jogak::cli
