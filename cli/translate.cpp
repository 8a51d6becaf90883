#include "app/use/translator.h"

#include "app/models/model.h"
#include "base/format.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/signals.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

TranslateOptions options_of(const Context& c, TranslateOptions out) {
  const Args& args = c.args;
  if (args.given("beams")) out.beam.beams = static_cast<int>(args.integer("beams"));
  if (args.given("length-penalty")) out.beam.length_penalty = args.number("length-penalty");
  if (args.given("max-length")) out.max_new = args.integer("max-length");
  out.beam.n_best = static_cast<int>(args.integer("n-best"));
  if (out.beam.n_best > out.beam.beams && !args.given("beams")) out.beam.beams = out.beam.n_best;
  out.sentences = args.integer("batch");
  out.alignment = args.flag("alignment");
  if (args.given("layer")) out.alignment_layer = args.integer("layer");
  out.stop = &stop_flag();
  out.progress = progress_lines(c.lang() == Lang::ko ? "번역" : "translating", c.lang());
  return out;
}

// n-best texts of a line without --json: one line each, with tabs between the number of the line,
// the score and the text.
void write(const Context& c, size_t number, const Translation& line) {
  if (c.args.flag("json")) return c.out.line(to_json(line).dump());
  for (const TranslatedText& text : line.texts) {
    c.out.line(c.args.integer("n-best") == 1
                   ? text.text
                   : text_of(number, "\t", fixed(text.score, 4), "\t", text.text));
    if (text.alignment.weights.rows > 0)
      c.out.line(alignment_text(text.alignment, Output::colour(), Output::columns(), c.lang()));
  }
}

int do_translate(const Context& c) {
  use_threads(c.args);
  use_device(c.args);
  const Translator translator(c.args.operand("DIR"));
  const TranslateOptions options = options_of(c, translator.defaults());
  read_texts(c, [&](std::span<const TextLine> lines) {
    std::vector<std::string> sources;
    for (const TextLine& line : lines) sources.push_back(line.text);
    const std::vector<Translation> done = translator.translate(sources, options);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (done[i].pieces > 1)
        log_warning("line ", lines[i].number, " is longer than the model reads, ",
                    translator.model().context, " tokens: translated in ", done[i].pieces,
                    " pieces");
      write(c, lines[i].number, done[i]);
    }
    c.out.flush();
  });
  return 0;
}

std::vector<Option> translate_options() {
  const auto count = [](const char* name, Words help, const std::string& fallback, double low,
                        double high) {
    return Option{.name = name,
                  .help = help,
                  .kind = Kind::integer,
                  .value = "N",
                  .fallback = fallback,
                  .low = low,
                  .high = high};
  };
  return {
      count("beams",
            {"빔 탐색의 폭 (기본: 모델이 정한 것, 없으면 4)",
             "width of the beam search (default: as the model says, else 4)"},
            "", 1, 1024),
      {.name = "length-penalty",
       .help = {"점수 = 로그 확률 / 길이^X, 클수록 긴 글",
                "score = log probability / length^X: larger favours longer texts"},
       .kind = Kind::number,
       .value = "X"},
      count("n-best", {"문장마다 보일 번역 수", "translations of each sentence"},
            std::to_string(BeamOptions{}.n_best), 1, 1024),
      count("max-length",
            {"번역의 최대 토큰 수 (기본: 원문의 두 배에 50)",
             "most tokens of a translation (default: twice the source's and fifty)"},
            "", 1, 1e6),
      {.name = "alignment",
       .help = {"낱말마다 원문의 어디를 보았는지", "where in the source each token looked"},
       .kind = Kind::flag},
      count("layer",
            {"--alignment: 디코더의 층 (기본: 모든 층의 평균)",
             "--alignment: layer of the decoder (default: the mean of all)"},
            "", 0, 1e4),
      count("batch", {"함께 계산할 문장 수", "sentences at once"},
            std::to_string(TranslateOptions{}.sentences), 1, 4096),
      device_option(),
      threads_option(),
      json_option(),
  };
}

}  // namespace

Command translate_command() {
  Command out{.name = "translate",
              .group = Group::use,
              .summary = {"줄마다 번역합니다", "translates lines"}};
  out.operands = {
      {"DIR", {"번역 모델의 디렉터리", "directory of a translation model"}},
      texts_operand({"옮길 글; 없으면 표준 입력의 줄마다",
                     "texts to translate; without them lines of standard input"}),
  };
  out.options = translate_options();
  out.examples = {
      {"jogak translate runs/quickstart \"2031년 5월 9일 금요일\"",
       {"날짜 하나를 옮깁니다", "translates one date"}},
      {"jogak data make dates - --count 5 | sed 's/ = .*//' | jogak translate runs/quickstart "
       "--beams 8 --n-best 3",
       {"줄마다 가장 좋은 셋", "the three best of each line"}},
      {"jogak data make dates - --count 5 | sed 's/ = .*//' | jogak translate runs/quickstart "
       "--alignment --json > out.jsonl",
       {"정렬까지 JSON으로", "with alignment, as JSON"}},
  };
  out.run = do_translate;
  return out;
}

}  // namespace jogak::cli
