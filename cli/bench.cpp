#include "app/measure/bench.h"

#include "app/measure/bench_tokenizer.h"
#include "app/tools/new_model.h"
#include "base/format.h"
#include "cli/bench_rows.h"
#include "cli/command.h"

namespace jogak::cli {
namespace {

std::string shown(const Json& value) {
  if (value.is_integer()) return format_count(value.integer());
  if (value.is_number()) return fixed(value.number(), 2);
  return value.is_string() ? value.text() : value.dump();
}

// GFLOP/s of each product, and the share of the peak that was measured beside it.
std::string shape_table(const std::vector<LayerBench>& shapes, bool ko) {
  TextTable table({ko ? "행 x 출력 x 입력" : "rows x outputs x inputs", ko ? "앞" : "forward",
                   ko ? "입력 기울기" : "of inputs", ko ? "가중치 기울기" : "of weights",
                   ko ? "최고" : "peak"});
  for (const LayerBench& one : shapes) {
    const auto speed = [&](double gflops) {
      if (gflops == 0) return std::string("-");
      return fixed(gflops, 0) + " (" + fixed(100 * gflops / one.peak, 0) + " %)";
    };
    table.row({text_of(one.rows, " x ", one.outputs, " x ", one.inputs), speed(one.forward),
               speed(one.inputs_gradient), speed(one.weights_gradient), fixed(one.peak, 0)});
  }
  return table.text();
}

std::string op_table(const std::vector<OpCost>& costs, bool ko) {
  TextTable table({ko ? "연산" : "op", ko ? "번" : "calls", ko ? "앞 ms" : "forward ms",
                   ko ? "뒤 ms" : "backward ms", "%"});
  for (const OpCost& op : costs)
    table.row({op.op, format_count(op.calls), fixed(op.forward_ms, 2), fixed(op.backward_ms, 2),
               fixed(100 * op.share, 1)});
  return table.text();
}

// One JSON object, or its numbers as a table with more below it.
int show(const Context& c, const Json& result, const std::string& more = "") {
  if (c.args.flag("json")) {
    c.out.line(result.dump());
    return 0;
  }
  const bool ko = c.lang() == Lang::ko;
  TextTable table({ko ? "항목" : "item", ko ? "값" : "value"});
  for (const auto& [key, value] : result.members())
    if (key != "schema" && !value.is_array()) table.row({bench_row(key, c.lang()), shown(value)});
  c.out.write(table.text());
  if (!more.empty()) c.out.write("\n" + more);
  return 0;
}

BenchOptions options_of(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  return {.family = args.text("family"),
          .preset = args.text("preset"),
          .settings = parse_settings(args.list("set")),
          .dtype = args.text("dtype"),
          .batch = args.integer("batch"),
          .seq = args.integer("seq"),
          .steps = args.integer("steps")};
}

// The same of weights that are only read.
BenchOptions reading_options(const Context& c) {
  BenchOptions out = options_of(c);
  if (c.args.given("model")) out.directory = c.args.text("model");
  return out;
}

int do_bench_train(const Context& c) {
  BenchOptions options = options_of(c);
  options.profile = c.args.flag("profile");
  options.recompute = c.args.flag("recompute");
  const TrainBench bench = bench_train(options);
  return show(c, to_json(bench),
              bench.profile ? op_table(bench.profile->ops, c.lang() == Lang::ko) : "");
}
int do_bench_forward(const Context& c) {
  return show(c, to_json(bench_forward(reading_options(c))));
}
int do_bench_generate(const Context& c) {
  use_cache_type(c.args);
  return show(c, to_json(bench_generate(reading_options(c))));
}
int do_bench_translate(const Context& c) {
  use_cache_type(c.args);
  BenchOptions options = reading_options(c);
  options.beams = static_cast<int>(c.args.integer("beams"));
  options.rounds = static_cast<int>(c.args.integer("rounds"));
  return show(c, to_json(bench_translate(options)));
}
int do_bench_tokenizer(const Context& c) {
  return show(c, to_json(bench_tokenizer({.tokenizer = c.args.operand("DIR_OR_FILE"),
                                          .file = c.args.operand("TEXT"),
                                          .document = c.args.integer("document"),
                                          .rounds = static_cast<int>(c.args.integer("rounds"))})));
}
int do_bench_machine(const Context& c) {
  use_threads(c.args);
  const MachineBench bench = bench_machine(c.args.flag("shapes"), c.args.text("dtype"));
  return show(c, to_json(bench),
              bench.shapes.empty() ? "" : shape_table(bench.shapes, c.lang() == Lang::ko));
}

Option count(const char* name, Words help, const char* fallback) {
  return {.name = name,
          .help = help,
          .kind = Kind::integer,
          .value = "N",
          .fallback = fallback,
          .low = 1,
          .high = 1e9};
}

std::vector<Option> model_options(const char* batch, const char* seq, const char* steps,
                                  Words steps_help) {
  return {
      {.name = "family",
       .help = {"모델의 종류", "family of models"},
       .value = "NAME",
       .fallback = "gpt2",
       .choices = family_names()},
      {.name = "preset", .help = {"크기", "size"}, .value = "NAME", .fallback = "base"},
      {.name = "set",
       .help = {"config.json의 값 하나", "one value of config.json"},
       .value = "KEY=VALUE",
       .times = Times::repeated},
      count("batch", {"한 번에 계산할 예", "examples at once"}, batch),
      count("seq", {"예 하나의 토큰", "tokens of an example"}, seq),
      count("steps", steps_help, steps),
      device_option(),
      threads_option(),
      {.name = "dtype",
       .help = {"가중치의 형식; 학습에서는 계산하는 수의 형식",
                "type of the weights; in training, of everything that is computed"},
       .value = "TYPE",
       .fallback = "f32",
       .choices = {"f32", "bf16"}},
      json_option(),
  };
}

// Of weights that are only read.
void add_reading_options(Command& command) {
  command.options.push_back({.name = "model",
                             .help = {"새로 만들지 않고 이 모델 디렉터리로, 가중치는 저장된 대로",
                                      "this model directory instead of a new one, its weights as "
                                      "they are stored"},
                             .value = "DIR"});
}

Command tokenizer_part() {
  Command out{.name = "tokenizer",
              .summary = {"토크나이저의 속도, 한 스레드",
                          "how fast a tokenizer loads, encodes and decodes, on one thread"}};
  out.operands = {
      {"DIR_OR_FILE",
       {"모델 디렉터리, tokenizer.json 또는 SentencePiece .model",
        "a model directory, a tokenizer.json or a SentencePiece .model"}},
      {"TEXT", {"토큰으로 바꿀 글, .gz와 .zst도", "the text to encode, .gz and .zst too"}}};
  out.options = {
      count("document", {"글 하나의 바이트, 줄 끝까지", "bytes of a document, up to a line's end"},
            "4000"),
      count("rounds", {"재는 횟수, 가장 빠른 것", "how often it is measured; the best counts"},
            "3"),
      json_option()};
  out.examples = {
      {"jogak data make dates text.txt", {"배울 글", "a text to learn from"}},
      {"jogak tokenizer train --type bpe --vocab-size 400 --files text.txt --out tok",
       {"바이트 단위 BPE", "byte-level BPE"}},
      {"jogak bench tokenizer tok text.txt --json", {"초당 메가바이트", "megabytes a second"}},
  };
  out.run = do_bench_tokenizer;
  return out;
}

}  // namespace

Command bench_command() {
  Command out{.name = "bench",
              .group = Group::ship,
              .summary = {"속도를 잽니다, 가중치는 난수", "measures speed, on random weights"}};
  Command one{.name = "train", .summary = {"학습 한 스텝의 시간", "the time of a training step"}};
  one.options = model_options("8", "256", "20", {"재는 스텝", "steps to measure"});
  one.options.push_back({.name = "profile",
                         .help = {"연산마다 드는 시간", "the time each op takes"},
                         .kind = Kind::flag});
  one.options.push_back({.name = "recompute",
                         .help = {"블록의 입력만 두고 뒤로 갈 때 다시 계산",
                                  "keep the inputs of blocks alone, and compute them again"},
                         .kind = Kind::flag});
  one.examples = {{"jogak bench train --preset small --batch 8 --seq 256 --json",
                   {"한 스텝의 밀리초, 초당 토큰", "milliseconds a step, tokens a second"}}};
  one.run = do_bench_train;
  Command two{.name = "generate", .summary = {"글을 쓰는 속도", "how fast text is written"}};
  two.options = model_options("1", "64", "64", {"새 토큰", "new tokens"});
  two.examples = {{"jogak bench generate --preset base --seq 512 --steps 64 --json",
                   {"첫 토큰까지의 시간과 초당 토큰", "time to the first token, tokens a second"}},
                  {"jogak bench generate --family llama --dtype bf16 --json",
                   {"bf16 가중치, 메모리 속도의 몇 할인지",
                    "weights in bf16; which share of the memory's speed"}}};
  add_reading_options(two);
  two.options.push_back(cache_type_option());
  two.run = do_bench_generate;
  Command three{.name = "machine",
                .summary = {"이 컴퓨터가 낼 수 있는 최고", "what this machine can do at best"}};
  three.options = {
      threads_option(),
      {.name = "shapes",
       .help = {"층의 행렬 곱이 최고의 몇 할을 내는지",
                "also what the matrix products of layers reach"},
       .kind = Kind::flag},
      {.name = "dtype",
       .help = {"--shapes가 곱하는 수의 형식; q8: 8비트 가중치, q8x8: 값도 8비트",
                "type of what --shapes multiplies; q8: weights in 8 bits, q8x8: values, "
                "too"},
       .value = "TYPE",
       .fallback = "f32",
       .choices = {"f32", "bf16", "q8", "q8x8"}},
      json_option()};
  three.examples = {
      {"jogak bench machine", {"초당 연산과 메모리 속도", "operations and bytes a second"}},
      {"jogak bench machine --shapes",
       {"행렬 곱의 속도를 최고와 견줘서", "matrix products held against the peak"}},
      {"jogak bench machine --shapes --dtype bf16", {"bf16으로 같은 것을", "the same in bf16"}}};
  three.run = do_bench_machine;
  Command four{.name = "translate",
               .summary = {"번역하는 속도", "how fast sentences are translated"}};
  four.options = model_options("32", "25", "25", {"번역의 토큰", "tokens of a translation"});
  four.options[0].fallback = "seq2seq";
  four.options.push_back(count("beams", {"빔 탐색의 폭", "width of the beam search"}, "4"));
  four.options.push_back(count("rounds", {"재는 횟수", "how often it is measured"}, "3"));
  four.examples = {{"jogak bench translate --preset base --batch 32 --seq 25 --beams 4 --json",
                    {"초당 토큰", "tokens a second"}}};
  add_reading_options(four);
  four.options.push_back(cache_type_option());
  four.run = do_bench_translate;
  Command five{
      .name = "forward",
      .summary = {"글, 그림, 시계열을 읽는 속도", "how fast texts, images or series are read"}};
  five.options = model_options("32", "128", "10", {"재는 횟수", "passes to measure"});
  five.options[0].fallback = "bert";
  five.examples = {{"jogak bench forward --family bert --preset base --batch 32 --seq 128 --json",
                    {"초당 예", "examples a second"}}};
  add_reading_options(five);
  five.run = do_bench_forward;
  out.parts = {std::move(one),  std::move(two),   std::move(four),
               std::move(five), tokenizer_part(), std::move(three)};
  out.examples = {{"jogak bench machine", {"무엇과 견줄지부터", "what to compare with"}}};
  return out;
}

}  // namespace jogak::cli
