#include "app/use/translate.h"

#include "app/data/text_lines.h"
#include "base/format.h"
#include "base/log.h"

namespace jogak {
namespace {

constexpr size_t kLinesAtOnce = 512;  // more lines at once: like lengths stand together

class Translation {
 public:
  explicit Translation(const TranslateCommand& c)
      : c_(c),
        model_(open_translator(c.directory, {.use = WeightUse::as_stored})),
        tokenizer_(load_pair_tokenizer(c.directory)) {
    check_fits(model_, tokenizer_, c.directory);
  }

  void write(std::span<const TextLine> lines) {
    std::vector<std::string> sources;
    for (const TextLine& line : lines) sources.push_back(line.text);
    const auto done = translate_lines(model_, tokenizer_, sources, c_.settings);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (done[i].pieces > 1)
        log_warning("line ", lines[i].number, " is longer than the model reads, ", model_.context,
                    " tokens: translated in ", done[i].pieces, " pieces");
      write_line(lines[i].text, lines[i].number, done[i]);
    }
    c_.flush();
  }

 private:
  void write_line(const std::string& source, size_t number, const LineTranslation& one) const {
    if (c_.json) {
      c_.line(translation_json(source, one).dump());
      return;
    }
    for (const TranslatedText& text : one.texts) {
      c_.line(c_.settings.n_best == 1
                  ? text.text
                  : text_of(number, "\t", fixed(text.score, 4), "\t", text.text));
      if (text.alignment.weights.rows > 0) c_.line(c_.picture(text.alignment));
    }
  }

  const TranslateCommand& c_;
  Model model_;
  PairTokenizer tokenizer_;
};

}  // namespace

Json translation_json(const std::string& source, const LineTranslation& translation) {
  Json texts = Json::array();
  for (const TranslatedText& text : translation.texts) {
    Json one = Json::object();
    one.set("text", text.text).set("score", text.score);
    if (text.alignment.weights.rows > 0) one.set("alignment", alignment_json(text.alignment));
    texts.push(std::move(one));
  }
  Json out = Json::object();
  out.set("schema", 1).set("source", source);
  return std::move(out.set("translations", std::move(texts)));
}

void translate_input(LineReader& in, const TranslateCommand& c) {
  Translation translation(c);
  take_lines(in, kLinesAtOnce, [&](std::span<const TextLine> lines) { translation.write(lines); });
}

}  // namespace jogak
