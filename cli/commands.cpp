#include "app/models/cache_type.h"
#include "app/models/device.h"
#include "app/models/model.h"
#include "app/models/target.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/environment.h"

namespace jogak::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      demo_command(),       explain_command(), study_command(),     inspect_command(),
      ablate_command(),     serve_command(),   new_command(),       data_command(),
      tokenizer_command(),  train_command(),   merge_command(),     eval_command(),
      generate_command(),   chat_command(),    translate_command(), fill_command(),
      classify_command(),   answer_command(),  embed_command(),     rank_command(),
      forecast_command(),   info_command(),    bench_command(),     convert_command(),
      quantize_command(),   export_command(),  plan_command(),      forward_command(),
      completion_command(),
  };
  return all;
}

Option json_option() {
  return {.name = "json",
          .help = {"결과를 JSON 객체 하나로", "the result as one JSON object"},
          .kind = Kind::flag};
}

Option dtype_option() {
  return {
      .name = "dtype",
      .help = {"가중치의 형식: auto는 파일대로", "type of the weights; auto: as the file has them"},
      .value = "TYPE",
      .fallback = "auto",
      .choices = {"auto", "f32", "bf16"}};
}

Option cache_type_option() {
  return {.name = "cache-type",
          .help = {"쓴 글의 키와 값을 담는 형식: bf16은 절반, q8은 4분의 1의 메모리",
                   "type of the keys and values kept of a text: bf16 takes half the memory, q8 a "
                   "quarter"},
          .value = "TYPE",
          .fallback = "f32",
          .choices = {"f32", "bf16", "q8"}};
}

Option threads_option() {
  return {.name = "threads",
          .help = {"CPU 스레드 수 (기본: OMP_NUM_THREADS 또는 코어 수)",
                   "CPU threads (default: OMP_NUM_THREADS or the number of cores)"},
          .kind = Kind::integer,
          .value = "N",
          .low = 1,
          .high = 1024};
}

Option device_option() {
  return {
      .name = "device",
      .help = {"어디서 계산할지 (jogak info --devices)", "where to compute (jogak info --devices)"},
      .value = "DEVICE",
      .fallback = "cpu",
      .choices = {"cpu", "cuda"}};
}

Option seed_option(std::string fallback) {
  return {
      .name = "seed",
      .help = {"난수 시드: 같은 시드는 같은 결과", "of the random numbers: same seed, same result"},
      .kind = Kind::integer,
      .value = "N",
      .fallback = std::move(fallback),
      .low = 0};
}

Option overwrite_option() {
  return {.name = "overwrite",
          .help = {"거기 있는 것을 바꿉니다, 새것이 온전해진 뒤에",
                   "replace what is there, once the new one is whole"},
          .kind = Kind::flag};
}

void check_drawing(const Args& args, const char* option, std::initializer_list<const char*> read) {
  if (!args.given(option)) return;
  Target target{args.text(option), args.flag("overwrite")};
  for (const char* input : read)
    if (args.given(input)) target.inputs.push_back(args.text(input));
  check_target_file(target, is_drawing);
}

std::vector<std::string> family_names() {
  std::vector<std::string> out;
  for (const Family& family : families()) out.emplace_back(family.name);
  return out;
}

void use_threads(const Args& args) {
  if (args.given("threads")) set_thread_count(static_cast<int>(args.integer("threads")));
  bound_threads();
}

void use_device(const Args& args) { jogak::use_device(args.text("device")); }

void use_cache_type(const Args& args) { jogak::use_cache_type(args.text("cache-type")); }

}  // namespace jogak::cli
