#include "app/measure/score.h"

#include "data/pair_text.h"
#include "score/exact_match.h"

namespace jogak {

BleuOptions bleu_options(const BleuSettings& s) {
  BleuOptions out{.tokens = parse_bleu_tokens(s.tokenize),
                  .smooth = parse_bleu_smooth(s.smooth),
                  .smooth_value = s.smooth_value,
                  .lowercase = s.lowercase};
  const bool takes_value = out.smooth == BleuSmooth::floor || out.smooth == BleuSmooth::add_k;
  ensure<UsageError>(!s.smooth_value || takes_value, "found the smoothing ", s.smooth,
                     " with a value, wanted floor or add-k");
  return out;
}

TranslationScore score_files(const ScoreOptions& c) {
  ensure<UsageError>(!c.references.empty(), c.hypotheses, ": scored against no reference");
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
  for (const std::string& file : c.references) {
    Pairs pairs = read_pairs(c.hypotheses, file, "", c.longest);
    hypotheses = std::move(pairs.source);
    references.push_back(std::move(pairs.target));
  }
  ensure<FormatError>(!hypotheses.empty(), c.hypotheses, ": found no line, wanted translations");
  return score_translations(
      hypotheses, references,
      {.bleu = bleu_options(c.bleu), .bootstrap = {.resamples = c.resamples, .seed = c.seed}});
}

Json to_json(const TranslationScore& s) {
  Json out = Json::object();
  out.set("schema", 1).set("bleu", s.bleu.score).set("chrf", s.chrf);
  out.set("signature", s.signature).set("chrf_signature", s.chrf_signature);
  out.set("lines", s.lines).set("precisions", Json::list(s.bleu.precisions));
  out.set("brevity_penalty", s.bleu.brevity_penalty).set("length", s.bleu.counts.length);
  out.set("reference_length", s.bleu.counts.reference_length);
  const auto set_interval = [&](const std::string& name, const std::optional<Interval>& interval) {
    if (!interval) return;
    out.set(name + "_mean", interval->mean);
    out.set(name + "_half_width", interval->half_width);
  };
  set_interval("bleu", s.bleu_interval);
  set_interval("chrf", s.chrf_interval);
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
