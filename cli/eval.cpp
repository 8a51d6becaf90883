#include "app/measure/eval.h"

#include "app/measure/score.h"
#include "base/long_lines.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/divided.h"
#include "cli/eval_table.h"
#include "cli/signals.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

Operand directory() { return {"DIR", {"모델 디렉터리", "a model directory"}, true}; }

BleuSettings bleu_settings(const Args& args) {
  BleuSettings out;
  out.tokenize = args.text("bleu-tokenize");
  out.smooth = args.text("smooth");
  if (args.given("smooth-value")) out.smooth_value = args.number("smooth-value");
  out.lowercase = args.flag("lowercase");
  return out;
}

// Two files and no model: what a translation is worth.
int run_scores(const Context& c) {
  const Args& args = c.args;
  const Complaint complain{c.lang()};
  if (!args.operand("DIR").empty()) complain.together("DIR", "--hypotheses");
  for (const char* other : {"data", "make"})
    if (args.given(other)) complain.together(std::string("--") + other, "--hypotheses");
  if (!args.given("references")) complain.missing_option("--references");
  ScoreOptions command;
  command.hypotheses = args.text("hypotheses");
  command.references = args.list("references");
  command.bleu = bleu_settings(args);
  command.resamples = args.integer("bootstrap");
  if (args.given("seed")) command.seed = static_cast<uint64_t>(args.integer("seed"));
  LongLines longest(max_line(args));
  command.longest = &longest;
  const TranslationScore score = score_files(command);
  if (args.flag("json")) {
    c.out.line(to_json(score).dump());
  } else {
    c.out.line(score.bleu_line());
    c.out.line(score.chrf_line());
  }
  longest.complain();
  return 0;
}

EvalOptions options_of(const Args& args, Lang lang) {
  const auto given = [&](const char* name) {
    return args.given(name) ? std::optional(args.text(name)) : std::nullopt;
  };
  EvalOptions out;
  out.directory = args.operand("DIR");
  out.data = args.text("data");
  out.make = args.text("make");
  out.count = args.integer("count");
  out.seed = static_cast<uint64_t>(args.integer("seed"));
  out.kind = given("kind");
  out.separator = given("separator");
  out.batch = args.integer("batch");
  out.dtype = args.text("dtype");
  out.from = args.number("from");
  out.source = args.text("source");
  out.target = args.text("target");
  if (args.given("beams")) out.beams = static_cast<int>(args.integer("beams"));
  if (args.given("length-penalty")) out.length_penalty = args.number("length-penalty");
  out.bleu = bleu_settings(args);
  out.bootstrap = args.integer("bootstrap");
  out.text_column = given("text-column");
  out.label_column = given("label-column");
  out.image_column = given("image-column");
  out.labels = args.text("labels");
  out.date_column = given("date-column");
  out.series = given("series");
  out.part = args.text("part");
  out.lang = lang;
  out.stop = &stop_flag();
  return out;
}

int do_eval(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  use_cache_type(args);
  if (args.given("hypotheses")) return run_scores(c);
  if (args.given("references")) Complaint{c.lang()}.missing_option("--hypotheses");
  if (args.operand("DIR").empty()) Complaint{c.lang()}.missing_operand(directory());
  const Complaint complain{c.lang()};
  const char* inputs[] = {"data", "make", "source"};
  const char* chosen = nullptr;
  for (const char* name : inputs) {
    if (!args.given(name)) continue;
    if (chosen) complain.together(std::string("--") + chosen, std::string("--") + name);
    chosen = name;
  }
  if (!chosen) complain.missing_option("--data");
  if (args.given("source") != args.given("target"))
    complain.missing_option(args.given("source") ? "--target" : "--source");
  if (const auto code = start_others(args)) return *code;
  const Division division(processes_of(args), &stop_flag());
  LongLines longest(max_line(args));
  EvalOptions options = options_of(args, c.lang());
  options.longest = &longest;
  const EvalResult result = evaluate(options);
  if (args.flag("json")) {
    c.out.line(to_json(result).dump());
  } else {
    c.out.write(eval_table(result, c.lang()));
    if (const auto* pairs = std::get_if<PairEval>(&result)) c.out.line(pairs->score.signature);
  }
  longest.complain();
  return 0;
}

// What is scored: files, and their columns.
std::vector<Option> data_options() {
  return {
      {.name = "data",
       .help = {"평가할 글, .gz와 .zst도", "the text to score on, .gz and .zst too"},
       .value = "FILE"},
      {.name = "make",
       .help = {"만들어 낸 데이터 중 학습에 없는 줄", "generated lines that training never held"},
       .value = "KIND",
       .choices = {"dates", "sort", "shapes", "series"}},
      {.name = "text-column",
       .help = {"분류, 그림과 글: 글이 있는 열 (기본: 학습한 대로)",
                "labels, captions: the column of the texts (default: as it was trained)"},
       .value = "NAME"},
      {.name = "label-column",
       .help = {"분류: 정답이 있는 열 (기본: 학습한 대로)",
                "labels: the column of the labels (default: as it was trained)"},
       .value = "NAME"},
      {.name = "image-column",
       .help = {"그림과 글: 그림 파일의 열 (기본: 학습한 대로)",
                "captions: the column of the images (default: as it was trained)"},
       .value = "NAME"},
      {.name = "labels",
       .help = {"그림: IDX 파일의 정답 파일 (기본: 이름으로 찾음)",
                "images: the labels of an IDX file (default: by its name)"},
       .value = "FILE"},
      {.name = "date-column",
       .help = {"시계열: 날짜 열 (기본: 학습한 대로)",
                "series: the column of the dates (default: as it was trained)"},
       .value = "NAME"},
      {.name = "series",
       .help = {"시계열: 쓸 열들, a,b (기본: 학습한 대로)",
                "series: which columns, a,b (default: as it was trained)"},
       .value = "NAMES"},
      {.name = "part",
       .help = {"시계열: 어느 부분에서", "series: which part"},
       .value = "PART",
       .fallback = "test",
       .choices = {"train", "valid", "test"}},
  };
}

// Of models that translate.
std::vector<Option> translation_options() {
  return {
      {.name = "source",
       .help = {"번역 모델: 원문, --target과 줄마다 짝",
                "translation: sentences, line by line with --target"},
       .value = "FILE"},
      {.name = "target",
       .help = {"번역 모델: 정답 번역", "translation: what they should become"},
       .value = "FILE"},
      {.name = "beams",
       .help = {"번역 모델: 빔 탐색의 폭 (기본: 모델이 정한 것)",
                "translation: width of the beam search (default: as the model says)"},
       .kind = Kind::integer,
       .value = "N",
       .low = 1,
       .high = 1024},
      {.name = "length-penalty",
       .help = {"번역 모델: 점수 = 로그 확률 / 길이^X",
                "translation: score = log probability / length^X"},
       .kind = Kind::number,
       .value = "X"},
  };
}

// Of generated lines and of texts.
std::vector<Option> line_options() {
  return {
      {.name = "count",
       .help = {"--make의 줄 수", "lines of --make"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "500",
       .low = 1,
       .high = 10'000'000},
      seed_option("1"),
      {.name = "kind",
       .help = {"데이터의 모양 (기본: 학습한 대로, 아니면 text)",
                "shape of the data (default: as it was trained, else text)"},
       .value = "KIND",
       .choices = {"text", "lines"}},
      {.name = "separator",
       .help = {"lines: 물음과 답 사이 (기본: 학습한 대로)",
                "lines: between prompt and answer (default: as it was trained)"},
       .value = "TEXT"},
      {.name = "from",
       .help = {"text: 앞에서 이만큼은 건너뜁니다", "text: the share to leave out at the start"},
       .kind = Kind::number,
       .value = "SHARE",
       .fallback = "0",
       .low = 0,
       .high = 1},
      {.name = "batch",
       .help = {"한 번에 계산할 예", "examples at once"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "16",
       .low = 1,
       .high = 65536},
  };
}

// Of a translation that is there, and of how BLEU and chrF count.
std::vector<Option> score_options() {
  return {
      {.name = "hypotheses",
       .help = {"모델 없이 BLEU와 chrF를 잴 번역, 한 줄에 하나",
                "a translation to score by BLEU and chrF without a model, one sentence a line"},
       .value = "FILE"},
      {.name = "references",
       .help = {"그 번역의 모범 답, 여러 번 쓸 수 있음",
                "what it should say; may be given several times"},
       .value = "FILE",
       .times = Times::repeated},
      {.name = "bleu-tokenize",
       .help = {"BLEU가 단어를 나누는 법", "how BLEU cuts words"},
       .value = "HOW",
       .fallback = "13a",
       .choices = {"13a", "char", "none"}},
      {.name = "smooth",
       .help = {"BLEU: 맞은 것이 없는 차수를 다루는 법 (sacrebleu의 이름)",
                "BLEU: what stands for an order without a match, by sacrebleu's names"},
       .value = "HOW",
       .fallback = "exp",
       .choices = {"exp", "floor", "add-k", "none"}},
      {.name = "smooth-value",
       .help = {"BLEU: floor의 값 (보통 0.1) 또는 add-k의 값 (보통 1)",
                "BLEU: the value of floor (0.1 unless given) or of add-k (1)"},
       .kind = Kind::number,
       .value = "X",
       .low = 0},
      {.name = "lowercase",
       .help = {"BLEU와 chrF: 소문자로 바꾸어 견줍니다", "BLEU and chrF: compare in lower case"},
       .kind = Kind::flag},
      {.name = "bootstrap",
       .help = {"BLEU와 chrF: 다시 뽑기로 95 % 신뢰 구간, 보통 1000번; 0: 없음",
                "BLEU and chrF: 95 % interval by this many resamples, usually 1000; 0: none"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "0",
       .low = 0,
       .high = 1'000'000},
  };
}

}  // namespace

Command eval_command() {
  Command out{.name = "eval",
              .group = Group::make,
              .summary = {"모델이나 번역이 얼마나 좋은지 잽니다",
                          "scores a model on data, or a translation"}};
  out.operands = {directory()};
  out.options = data_options();
  for (const std::vector<Option>& more : {translation_options(),
                                          line_options(),
                                          score_options(),
                                          division_options(),
                                          {max_line_option(), dtype_option(), cache_type_option(),
                                           device_option(), threads_option(), json_option()}})
    out.options.insert(out.options.end(), more.begin(), more.end());
  out.examples = {
      {"jogak eval runs/quickstart --make dates --json",
       {"본 적 없는 날짜 500줄", "500 lines of dates it never saw"}},
      {"jogak train recipes/patchtst-series.toml --out runs/series",
       {"시계열을 내다보는 작은 PatchTST", "a small PatchTST that forecasts series"}},
      {"jogak data make series series.csv", {"측정값 세 줄기", "three series"}},
      {"jogak eval runs/series --data series.csv --part test",
       {"시계열의 마지막 부분", "the last part of the series"}},
      {"printf 'the cat sat on the mat.\\n' | tee out.txt",
       {"번역 한 줄", "a line of translation"}},
      {"printf 'the cat sat on a mat.\\n' | tee test.en", {"그 정답", "its reference"}},
      {"jogak eval --hypotheses out.txt --references test.en --bootstrap 1000",
       {"번역 파일의 BLEU와 chrF", "BLEU and chrF of a file of translations"}},
  };
  out.run = do_eval;
  return out;
}

}  // namespace jogak::cli
