#include "app/use/translator.h"

#include "app/models/model.h"
#include "app/use/translate_lines.h"
#include "base/format.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/generation_flags.h"
#include "cli/signals.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

TranslateOptions options_of(const Context& c, const Translator& translator) {
  const Args& args = c.args;
  const GenerationSettings asked =
      generation_settings(args, Writing::translate, translator.model().seq2seq.decoder.vocab);
  TranslateOptions out = translator.options(asked);
  out.beam.sampling.seed = static_cast<uint64_t>(args.integer("seed"));
  out.beam.show = static_cast<size_t>(args.integer("candidates"));
  out.sentences = args.integer("batch");
  out.alignment = args.flag("alignment");
  if (args.given("layer")) out.alignment_layer = args.integer("layer");
  out.stop = &stop_flag();
  out.progress = progress_lines(c.lang() == Lang::ko ? "번역" : "translating", c.lang());
  return out;
}

// n-best texts of a line without --json: one line each, with tabs between the number of the line,
// the score and the text.
void write(const Context& c, size_t number, const Translation& line, bool several) {
  if (c.args.flag("json")) return c.out.line(to_json(line).dump());
  for (const TranslatedText& text : line.texts) {
    c.out.line(!several ? text.text : text_of(number, "\t", fixed(text.score, 4), "\t", text.text));
    if (text.alignment.weights.rows > 0)
      c.out.line(alignment_text(text.alignment, Output::colour(), Output::columns(), c.lang()));
  }
}

// Each line of the input, translated; those that are far too long are passed over, and known.
void translate_all(const Context& c, const Translator& translator, LongLines& too_long) {
  const TranslateOptions options = options_of(c, translator);
  const std::string prefix = c.args.given("prefix") ? c.args.text("prefix") : "";
  const char* const from = c.args.operands("TEXT").empty() ? "standard input" : "the command line";
  read_texts(c, [&](std::span<const TextLine> lines) {
    std::vector<std::string> sources;
    for (const TextLine& line : lines)
      sources.push_back(line.text.empty() ? line.text : prefix + line.text);
    const std::vector<Translation> done = translator.translate(sources, options);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (done[i].too_long) {
        too_long.pass_over(from, lines[i].number);
        continue;
      }
      if (done[i].pieces > 1)
        log_first_warning("a line is translated in pieces", "line ", lines[i].number,
                          " is longer than the model reads, ", translator.model().context,
                          " tokens: translated in ", done[i].pieces, " pieces");
      write(c, lines[i].number, done[i], options.beam.n_best > 1);
    }
    c.out.flush();
  });
}

int do_translate(const Context& c) {
  use_threads(c.args);
  use_device(c.args);
  use_cache_type(c.args);
  const auto language = [&](const char* flag) {
    return c.args.given(flag) ? c.args.text(flag) : std::string();
  };
  const Translator translator(c.args.operand("DIR"),
                              {language("source-lang"), language("target-lang")});
  LongLines too_long = too_many_pieces(translator.model());
  try {
    translate_all(c, translator, too_long);
  } catch (const FormatError& error) {  // of the input: both are told, one as the end of it
    if (too_long.none()) throw;
    log_warning(error.what());
  }
  too_long.complain();
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
  std::vector<Option> out = generation_options(Writing::translate);
  const auto text = [](const char* name, Words help, const char* value = "CODE") {
    return Option{.name = name, .help = help, .kind = Kind::text, .value = value};
  };
  const std::vector<Option> more = {
      text("prefix",
           {"줄마다 앞에 둘 글: T5에게 할 일을 말합니다",
            "text before each line: what a T5 is told to do"},
           "TEXT"),
      text("source-lang",
           {"여러 언어 모델: 원문의 언어 (기본: tokenizer_config.json)",
            "model of many languages: that of the source (default: tokenizer_config.json's)"}),
      text("target-lang", {"옮길 언어", "the language to translate into"}),
      {.name = "alignment",
       .help = {"단어마다 원문의 어디를 보았는지", "where in the source each token looked"},
       .kind = Kind::flag},
      count("layer",
            {"--alignment: 디코더의 층 (기본: 모든 층의 평균)",
             "--alignment: layer of the decoder (default: the mean of all)"},
            "", 0, 1e4),
      count("batch", {"함께 계산할 문장 수", "sentences at once"},
            std::to_string(TranslateOptions{}.sentences), 1, 4096),
      seed_option("0"),
      candidates_option(),
      cache_type_option(),
      device_option(),
      max_line_option(),
      threads_option(),
      json_option(),
  };
  out.insert(out.end(), more.begin(), more.end());
  return out;
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
  out.more_help = [](Lang lang) { return generation_help(Writing::translate, lang); };
  out.examples = {
      {"jogak translate runs/quickstart \"2031년 5월 9일 금요일\"",
       {"날짜 하나를 옮깁니다", "translates one date"}},
      {"jogak data make dates - --count 5 | sed 's/ = .*//' | jogak translate runs/quickstart "
       "--beams 8 --n-best 3",
       {"줄마다 가장 좋은 셋", "the three best of each line"}},
      {"jogak translate runs/quickstart --prefix \"2031년 \" \"5월 9일 금요일\"",
       {"앞에 같은 글을 두고", "with the same text before each line"}},
      {"jogak data make dates - --count 5 | sed 's/ = .*//' | jogak translate runs/quickstart "
       "--alignment --json > out.jsonl",
       {"정렬까지 JSON으로", "with alignment, as JSON"}},
  };
  out.run = do_translate;
  return out;
}

}  // namespace jogak::cli
