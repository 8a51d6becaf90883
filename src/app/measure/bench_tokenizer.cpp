#include "app/measure/bench_tokenizer.h"

#include <ctime>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/measure/bench_model.h"
#include "base/file.h"
#include "base/hash/hash.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The least seconds of a call. What it gives is let go of before the clock starts again.
template <class Work>
double best_seconds(int rounds, Work&& work) {
  double best = 1e300;
  for (int i = 0; i < rounds; ++i) {
    const double start = thread_seconds();
    const auto result = work();
    best = std::min(best, thread_seconds() - start);
  }
  return best;
}

// Whole lines, as many as it takes to reach `least` bytes.
std::vector<std::string_view> documents_of(std::string_view text, size_t least) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t from = std::min(least, text.size()) - 1;
    const size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string hash_of_ids(const std::vector<std::vector<int>>& ids) {
  Sha256 hash;
  for (const std::vector<int>& one : ids)
    hash.update({reinterpret_cast<const char*>(one.data()), one.size() * sizeof(int)});
  return hash.hex();
}

}  // namespace

TokenizerBench bench_tokenizer(const TokenizerBenchOptions& how) {
  const std::string text = read_text_file(how.file);
  ensure<UsageError>(!text.empty(), how.file, ": found no text, wanted some to encode");
  const auto documents = documents_of(text, static_cast<size_t>(how.document));
  const double load = best_seconds(how.rounds, [&] { return Tokenizer::load(how.tokenizer); });
  const Tokenizer tokenizer = Tokenizer::load(how.tokenizer);
  const auto each = [](const auto& list, auto&& one) {
    std::vector<decltype(one(list[0]))> out;
    for (const auto& item : list) out.push_back(one(item));
    return out;
  };
  const auto to_ids = [&](std::string_view document) { return tokenizer.encode_ids(document); };
  const auto to_all = [&](std::string_view document) { return tokenizer.encode(document); };
  const auto to_text = [&](const std::vector<int>& one) { return tokenizer.decode(one); };
  const double encode = best_seconds(how.rounds, [&] { return each(documents, to_ids); });
  const double full = best_seconds(how.rounds, [&] { return each(documents, to_all); });
  const std::vector<std::vector<int>> ids = each(documents, to_ids);
  const double decode = best_seconds(how.rounds, [&] { return each(ids, to_text); });
  const std::vector<std::string> decoded = each(ids, to_text);
  size_t tokens = 0;
  for (const auto& one : ids) tokens += one.size();
  Sha256 written;
  for (const std::string& one : decoded) written.update(one);
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  return {.tokenizer = how.tokenizer,
          .bytes = static_cast<int64_t>(text.size()),
          .documents = static_cast<int64_t>(documents.size()),
          .tokens = static_cast<int64_t>(tokens),
          .vocab_size = tokenizer.vocab_size(),
          .load_ms = 1e3 * load,
          .encode_mb_s = megabytes / encode,
          .encode_full_mb_s = megabytes / full,
          .decode_mb_s = megabytes / decode,
          .ids_sha256 = hash_of_ids(ids),
          .text_sha256 = written.hex(),
          .peak_rss_mb = peak_rss_mb()};
}

Json to_json(const TokenizerBench& b) {
  Json out = Json::object();
  out.set("schema", 1).set("tokenizer", b.tokenizer).set("bytes", b.bytes);
  out.set("documents", b.documents).set("tokens", b.tokens);
  out.set("vocab_size", b.vocab_size).set("load_ms", b.load_ms);
  out.set("encode_mb_s", b.encode_mb_s).set("encode_full_mb_s", b.encode_full_mb_s);
  out.set("decode_mb_s", b.decode_mb_s).set("ids_sha256", b.ids_sha256);
  return std::move(out.set("text_sha256", b.text_sha256).set("peak_rss_mb", b.peak_rss_mb));
}

}  // namespace jogak
