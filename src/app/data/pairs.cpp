#include "app/data/pairs.h"

#include <cmath>

#include "app/data/text_data.h"
#include "app/models/vocabulary.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/utf8.h"
#include "generate/translate.h"
#include "score/exact_match.h"
#include "score/translation.h"

namespace jogak {
namespace {

Pairs made_pairs(const DataRecipe& d, bool held_out) {
  return pairs_from_lines(
      generated_lines(d.make, held_out ? d.valid_count : d.count, d.seed, held_out), d.make);
}

// The share of pairs that validates, chosen by what the target says: a sentence that occurs twice
// is on one side only, and files in order of length or subject are cut evenly.
RecipePairs held_apart(const Pairs& all, double share, uint64_t seed) {
  RecipePairs out;
  for (Pairs* side : {&out.train, &out.valid})
    side->source_name = all.source_name, side->target_name = all.target_name;
  for (size_t i = 0; i < all.size(); ++i) {
    constexpr uint64_t kStream = 0x70616972;
    const bool apart = philox(seed, kStream, crc32c(all.target[i]))[0] < share * 4294967296.0;
    Pairs& side = apart ? out.valid : out.train;
    side.source.push_back(all.source[i]);
    side.target.push_back(all.target[i]);
  }
  return out;
}

// A text as pieces the model can read. Halves are cut at the space nearest the middle, or, where
// there is none, between two characters.
void cut(const Tokenizer& tokenizer, std::string_view text, size_t most,
         std::vector<std::vector<int>>& out) {
  std::vector<int> ids = tokenizer.encode_ids(text);
  if (ids.size() <= most || text.size() < 2) {
    out.push_back(std::move(ids));
    return;
  }
  size_t middle = text.size() / 2;
  const size_t after = text.find(' ', middle), before = text.rfind(' ', middle);
  const size_t space = after == std::string_view::npos || (before != std::string_view::npos &&
                                                           middle - before < after - middle)
                           ? before
                           : after;
  if (space != std::string_view::npos && space > 0 && space + 1 < text.size()) {
    cut(tokenizer, text.substr(0, space), most, out);
    cut(tokenizer, text.substr(space + 1), most, out);
    return;
  }
  while (middle > 0 && (static_cast<unsigned char>(text[middle]) & 0xC0) == 0x80) --middle;
  if (middle == 0) {  // one character: as it is
    out.push_back(std::move(ids));
    return;
  }
  cut(tokenizer, text.substr(0, middle), most, out);
  cut(tokenizer, text.substr(middle), most, out);
}

std::vector<std::string> tokens_of(const Tokenizer& tokenizer, std::span<const int> ids) {
  std::vector<std::string> out;
  for (const int id : ids) out.emplace_back(tokenizer.id_to_token(id).value_or("?"));
  return out;
}

Alignment align(const Model& model, const PairTokenizer& tokenizer, std::span<const int> source,
                std::span<const int> target, int64_t layer) {
  const Tensor weights = alignment(model.seq2seq, source, target, layer);
  const auto values = to_host<float>(weights);
  Alignment out{tokens_of(tokenizer.source, source), tokens_of(tokenizer.target, target),
                Matrix(weights.dim(0), weights.dim(1))};
  out.weights.values.assign(values.begin(), values.end());
  return out;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
}

}  // namespace

RecipePairs recipe_pairs(const DataRecipe& d) {
  if (!d.make.empty()) return {made_pairs(d, false), made_pairs(d, true)};
  const PairColumns columns{d.source_column, d.target_column};
  Pairs all = d.source.empty() ? read_pairs_tsv(d.train, columns, d.where)
                               : read_pairs(d.source, d.target, d.where);
  if (!d.valid_source.empty())
    return {std::move(all), read_pairs(d.valid_source, d.valid_target, d.where)};
  if (!d.valid.empty()) return {std::move(all), read_pairs_tsv(d.valid, columns, d.where)};
  return held_apart(all, d.valid_share, d.seed);
}

void check_fits(const Model& model, const PairTokenizer& tokenizer, const std::string& directory) {
  check_rows(tokenizer.source, model.seq2seq.source_vocab, directory, "source ");
  check_rows(tokenizer.target, model.seq2seq.decoder.vocab, directory, "target ");
}

TranslateSettings directory_settings(const std::string& directory) {
  TranslateSettings out;
  const std::string file = join_path(directory, "generation_config.json");
  if (!file_exists(file)) return out;
  const Json json = read_json_file(file);
  const Fields f(json, file);
  out.beams = static_cast<int>(f.integer_or("num_beams", out.beams, {1, 1024}));
  out.length_penalty = f.number_or("length_penalty", 1);
  if (f.has("early_stopping")) {
    const Json& value = f.at("early_stopping");
    const bool never = value.is_string() && value.text() == "never";
    if (!never && !value.is_bool()) f.wrong(value, "early_stopping", "true, false or \"never\"");
    out.early_stopping = never             ? EarlyStopping::never
                         : value.boolean() ? EarlyStopping::yes
                                           : EarlyStopping::no;
  }
  return out;
}

std::vector<LineTranslation> translate_lines(const Model& model, const PairTokenizer& tokenizer,
                                             const std::vector<std::string>& lines,
                                             const TranslateSettings& s) {
  std::vector<std::vector<int>> sources;
  std::vector<size_t> line_of;
  std::vector<LineTranslation> out(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t first = sources.size();
    if (!is_blank(lines[i]))
      cut(tokenizer.source, lines[i], static_cast<size_t>(model.context), sources);
    out[i].pieces = static_cast<int64_t>(sources.size() - first);
    line_of.resize(sources.size(), i);
    if (sources.size() == first) out[i].texts.push_back({});
  }
  Progress progress(s.lang == Lang::ko ? "번역" : "translating",
                    static_cast<int64_t>(sources.size()), s.lang);
  TranslateOptions options{.beam = {.beams = s.beams,
                                    .n_best = s.n_best,
                                    .length_penalty = s.length_penalty,
                                    .early_stopping = s.early_stopping},
                           .max_new = s.max_length,
                           .sentences = s.sentences,
                           .stop = s.stop};
  if (s.progress) options.progress = [&](int64_t done) { progress.update(done); };
  const auto found = translate(model.seq2seq, sources, options);
  progress.finish();
  for (size_t i = 0; i < sources.size(); ++i) {
    LineTranslation& line = out[line_of[i]];
    if (line.pieces > 1) {
      if (line.texts.empty()) line.texts.push_back({});
      TranslatedText& whole = line.texts[0];
      whole.text += (whole.text.empty() ? "" : " ") + tokenizer.target.decode(found[i][0].ids);
      whole.score += found[i][0].score;
      continue;
    }
    for (const BeamText& text : found[i]) {
      line.texts.push_back({tokenizer.target.decode(text.ids), text.score});
      if (s.alignment)
        line.texts.back().alignment =
            align(model, tokenizer, sources[i], text.ids, s.alignment_layer);
    }
  }
  return out;
}

double score_by(const std::string& metric, const std::string& tokenize,
                const std::vector<std::string>& found, const std::vector<std::string>& wanted) {
  if (metric == "exact") return 100 * exact_match(found, wanted).score();
  TranslationOptions options;
  options.bleu.tokens = parse_bleu_tokens(tokenize);
  const TranslationScore score = score_translations(found, {wanted}, options);
  ensure<UsageError>(metric == "bleu" || metric == "chrf", "unknown metric '", metric,
                     "', wanted bleu, chrf or exact");
  return metric == "bleu" ? score.bleu.score : score.chrf;
}

}  // namespace jogak
