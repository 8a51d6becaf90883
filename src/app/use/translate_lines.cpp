#include "app/use/translate_lines.h"

#include <algorithm>
#include <iterator>

#include "app/models/vocabulary.h"
#include "app/use/generation.h"
#include "generate/translate.h"
#include "text/beginning.h"

namespace jogak {
namespace {

// A text as pieces the model can read. Halves are cut at the space nearest the middle, or, where
// there is none, between two characters. False, and not all of them, where there would be too many.
bool cut(const Tokenizer& tokenizer, std::string_view text, size_t most,
         std::vector<std::vector<int>>& out) {
  if (out.size() == kMostPieces) return false;
  std::vector<int> ids;
  if (text_beginning(tokenizer, text, most).size() == text.size()) {  // else there are far more
    ids = tokenizer.encode_ids(text);
    if (ids.size() <= most || text.size() < 2) {
      out.push_back(std::move(ids));
      return true;
    }
  }
  size_t middle = text.size() / 2;
  const size_t after = text.find(' ', middle), before = text.rfind(' ', middle);
  const size_t space = after == std::string_view::npos || (before != std::string_view::npos &&
                                                           middle - before < after - middle)
                           ? before
                           : after;
  if (space != std::string_view::npos && space > 0 && space + 1 < text.size()) {
    return cut(tokenizer, text.substr(0, space), most, out) &&
           cut(tokenizer, text.substr(space + 1), most, out);
  }
  while (middle > 0 && (static_cast<unsigned char>(text[middle]) & 0xC0) == 0x80) --middle;
  if (middle == 0) {  // one character: as it is
    out.push_back(std::move(ids));
    return true;
  }
  return cut(tokenizer, text.substr(0, middle), most, out) &&
         cut(tokenizer, text.substr(middle), most, out);
}

std::vector<std::string> tokens_of(const Tokenizer& tokenizer, std::span<const int> ids) {
  std::vector<std::string> out;
  for (const int id : ids) out.emplace_back(tokenizer.id_to_token(id).value_or("?"));
  return out;
}

Alignment named(const PairTokenizer& tokenizer, std::span<const int> source, const BeamText& text) {
  const auto values = to_host<float>(text.alignment);
  Alignment out{tokens_of(tokenizer.source, source), tokens_of(tokenizer.target, text.ids),
                Matrix(text.alignment.dim(0), text.alignment.dim(1))};
  out.weights.values.assign(values.begin(), values.end());
  return out;
}

int64_t read_at_once(const Model& model) { return model.seq2seq.sources.context; }

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
}

}  // namespace

void check_fits(const Model& model, const PairTokenizer& tokenizer, const std::string& directory) {
  check_rows(tokenizer.source, model.seq2seq.source_vocab, directory, "source ");
  check_rows(tokenizer.target, model.seq2seq.decoder.vocab, directory, "target ");
}

TranslateOptions translate_options(const GenerationSettings& directory,
                                   const GenerationSettings& asked) {
  const GenerationPlan plan = plan_of(merged(directory, asked, usual_translation()));
  ensure<UsageError>(plan.stop.empty(), plan.from,
                     ": \"stop_strings\": a translation does not end by its text");
  TranslateOptions out;
  out.beam = plan.beam;
  out.max_new = plan.room_after(1);  // the start token is the prompt
  out.start = plan.start;
  out.may_pad = directory.say_how();
  out.ends = plan.beam.eos_ids;
  return out;
}

TranslateOptions in_language(const PairTokenizer& tokenizer, TranslateOptions options,
                             const char* told_by) {
  if (!tokenizer.style) return options;
  int& first = options.beam.rules.forced_bos_token_id;
  const int language = tokenizer.target_language();
  if (language < 0) {
    ensure<UsageError>(first >= 0 || (tokenizer.style->behind && options.start >= 0),
                       "found no language to translate into, wanted ", told_by);
    return options;
  }
  if (tokenizer.style->behind)
    options.start = language;
  else
    first = language;
  return options;
}

std::vector<Translation> translate_lines(const Model& model, const PairTokenizer& tokenizer,
                                         const std::vector<std::string>& lines,
                                         const TranslateOptions& options) {
  std::vector<std::vector<int>> sources;
  std::vector<size_t> line_of;
  std::vector<Translation> out(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    out[i].source = lines[i];
    std::vector<std::vector<int>> pieces;
    out[i].too_long = !is_blank(lines[i]) && !cut(tokenizer.source, lines[i],
                                                  static_cast<size_t>(read_at_once(model)), pieces);
    if (out[i].too_long) pieces.clear();
    out[i].pieces = std::ssize(pieces);
    std::move(pieces.begin(), pieces.end(), std::back_inserter(sources));
    line_of.resize(sources.size(), i);
    if (pieces.empty()) out[i].texts.push_back({});
  }
  const auto found = translate(model.seq2seq, sources, options);
  for (size_t i = 0; i < sources.size(); ++i) {
    Translation& line = out[line_of[i]];
    if (line.pieces > 1) {
      if (line.texts.empty()) line.texts.push_back({});
      TranslatedText& whole = line.texts[0];
      whole.text += (whole.text.empty() ? "" : " ") + tokenizer.target.decode(found[i][0].ids);
      whole.score += found[i][0].score;
      continue;
    }
    for (const BeamText& text : found[i]) {
      line.texts.push_back(
          {tokenizer.target.decode(text.ids), text.score, text.ids, text.candidates});
      warn_of_length(model.seq2seq.decoder, 1 + std::ssize(text.ids),
                     options.max_new > 0 ? 1 + options.max_new : 0);
      if (options.alignment) line.texts.back().alignment = named(tokenizer, sources[i], text);
    }
  }
  return out;
}

LongLines too_many_pieces(const Model& model) {
  const auto tokens = static_cast<size_t>(read_at_once(model));
  return LongLines(kMostPieces * tokens, tokens);
}

std::vector<std::string> best_texts(const std::vector<Translation>& translations) {
  std::vector<std::string> out;
  for (const Translation& line : translations) out.push_back(line.texts[0].text);
  return out;
}

}  // namespace jogak
