#include "app/translate_app.h"

#include "base/format.h"
#include "base/log.h"

namespace jogak {
namespace {

constexpr size_t kLinesAtOnce = 512;  // more lines at once: like lengths stand together

class Translation {
 public:
  explicit Translation(const TranslateCommand& c)
      : c_(c), model_(open_translator(c.directory)), tokenizer_(load_pair_tokenizer(c.directory)) {
    check_fits(model_, tokenizer_);
  }

  void add(std::string_view line, size_t number) {
    lines_.emplace_back(line);
    numbers_.push_back(number);
    if (lines_.size() == kLinesAtOnce) write();
  }

  // Everything that waits, in order.
  void write() {
    if (lines_.empty()) return;
    const auto done = translate_lines(model_, tokenizer_, lines_, c_.settings);
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (done[i].pieces > 1)
        log_warning("line ", numbers_[i], " is longer than the model reads, ", model_.context,
                    " tokens: translated in ", done[i].pieces, " pieces");
      write_line(lines_[i], numbers_[i], done[i]);
    }
    lines_.clear();
    numbers_.clear();
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
  std::vector<std::string> lines_;
  std::vector<size_t> numbers_;
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
  in.before_waiting([&] { translation.write(); });
  try {
    for (std::string_view line; in.next(line);) {
      if (line.ends_with('\r')) line.remove_suffix(1);
      ensure_utf8(in, line);
      translation.add(line, in.number());
    }
  } catch (const FormatError&) {  // what came before the bad line is not lost
    translation.write();
    throw;
  }
  translation.write();
}

}  // namespace jogak
