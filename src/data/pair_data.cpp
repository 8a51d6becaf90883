#include "data/pair_data.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/log.h"

namespace jogak {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
}

int32_t append_side(std::vector<int32_t>& out, const Encode& encode, std::string_view text) {
  const std::vector<int> ids = encode(text);
  ensure<Error>(!ids.empty(), "the tokenizer gave no id, wanted at least an end token");
  ensure<Error>(ids.size() < INT32_MAX, "a text of ", ids.size(), " tokens");
  for (const int id : ids) {
    ensure<Error>(id >= 0, "the tokenizer gave id ", id, ", wanted 0 or more");
    out.push_back(id);
  }
  return static_cast<int32_t>(ids.size());
}

// The most ids a side may have: of its own limit and the batch's. 0: any.
int64_t side_limit(int64_t own, int64_t batch_tokens) {
  return own > 0 && batch_tokens > 0 ? std::min(own, batch_tokens) : std::max(own, batch_tokens);
}

std::string limits_in_words(int64_t source, int64_t target) {
  if (source == target) return text_of(source, " tokens a side");
  if (target == 0) return text_of(source, " source tokens");
  if (source == 0) return text_of(target, " target tokens");
  return text_of(source, " source and ", target, " target tokens");
}

}  // namespace

// Two: batches around the end of an epoch may be asked for in any order.
class PairData::Orders {
 public:
  using Order = std::shared_ptr<const std::vector<uint32_t>>;

  template <class Make>
  Order of(int64_t epoch, Make make) {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, order] : kept_)
      if (order && number == epoch) return order;
    std::swap(kept_[0], kept_[1]);
    kept_[0] = {epoch, std::make_shared<const std::vector<uint32_t>>(make(epoch))};
    return kept_[0].second;
  }

 private:
  std::mutex mutex_;
  std::array<std::pair<int64_t, Order>, 2> kept_;
};

PairData::~PairData() = default;
PairData::PairData(PairData&&) noexcept = default;

PairData::PairData(const Pairs& pairs, const Encode& encode_source, const Encode& encode_target,
                   const PairOptions& options)
    : name_(pairs.name()), options_(options), orders_(std::make_unique<Orders>()) {
  ensure<Error>(pairs.source.size() == pairs.target.size(), name_, ": found ", pairs.source.size(),
                " sources and ", pairs.target.size(), " targets");
  ensure<UsageError>((options.batch_tokens > 0) != (options.batch_sentences > 0) &&
                         options.batch_tokens >= 0 && options.batch_sentences >= 0,
                     "batches of ", options.batch_tokens, " tokens or ", options.batch_sentences,
                     " sentences asked for, wanted one of the two");
  ensure<UsageError>(options.max_source >= 0 && options.max_target >= 0, "at most ",
                     options.max_source, " source and ", options.max_target,
                     " target tokens asked for, wanted 0 (any) or more");
  ensure<Error>(pairs.size() < UINT32_MAX, name_, ": found ", pairs.size(), " pairs");
  take(pairs, encode_source, encode_target);
  cut();
}

void PairData::take(const Pairs& pairs, const Encode& encode_source, const Encode& encode_target) {
  const int64_t source_limit = side_limit(options_.max_source, options_.batch_tokens);
  const int64_t target_limit = side_limit(options_.max_target, options_.batch_tokens);
  size_t first_empty = 0, first_long = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (is_blank(pairs.source[i]) || is_blank(pairs.target[i])) {
      if (empty_++ == 0) first_empty = i + 1;
      continue;
    }
    Example example{ids_.size(), 0, 0, static_cast<int64_t>(i)};
    example.source = append_side(ids_, encode_source, pairs.source[i]);
    example.target = append_side(ids_, encode_target, pairs.target[i]);
    if ((source_limit > 0 && example.source > source_limit) ||
        (target_limit > 0 && example.target > target_limit)) {
      if (too_long_++ == 0) first_long = i + 1;
      ids_.resize(example.begin);
      continue;
    }
    source_tokens_ += example.source;
    target_tokens_ += example.target;
    examples_.push_back(example);
  }
  if (empty_ > 0)
    log_warning(name_, ": ", empty_, " of ", pairs.size(),
                " pairs have an empty side and are left out; the first is line ", first_empty);
  if (too_long_ > 0)
    log_warning(name_, ": ", too_long_, " of ", pairs.size(), " pairs are longer than ",
                limits_in_words(source_limit, target_limit),
                " and are left out; the first is line ", first_long);
  ensure<FormatError>(!examples_.empty(), name_, ": found no pair to learn from");
}

// The examples in order of length, and where batches begin. The cuts follow from the longest sides
// alone, in ascending order, so pairs with the same longest side may change places between epochs.
void PairData::cut() {
  std::sort(examples_.begin(), examples_.end(), [](const Example& a, const Example& b) {
    const auto key = [](const Example& e) {
      return std::tuple(e.longest(), e.source - e.target, e.position);
    };
    return key(a) < key(b);
  });
  starts_ = {0};
  for (size_t i = 1; i < examples_.size(); ++i) {
    const auto rows = static_cast<int64_t>(i - starts_.back()) + 1;
    const bool full = options_.batch_tokens > 0
                          ? rows > options_.batch_tokens / examples_[i].longest()
                          : rows > options_.batch_sentences;
    if (full) starts_.push_back(i);
  }
  starts_.push_back(examples_.size());
}

// Among pairs with the same longest side, those whose other sides are alike stay together, give or
// take a few tokens: little padding, and different neighbours in every epoch.
std::vector<uint32_t> PairData::epoch_order(int64_t epoch) const {
  constexpr int64_t kUnit = 1 << 20, kSpread = 4;  // noise of 0 .. 4 tokens
  constexpr uint64_t kStream = 0x7061697273;
  const uint64_t stream = Rng(options_.seed, kStream).split(static_cast<uint64_t>(epoch)).stream();
  std::vector<int64_t> keys(examples_.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const int64_t noise = philox(options_.seed, stream, i)[0] >> 12;  // below kUnit
    keys[i] = (examples_[i].source - examples_[i].target) * kUnit + noise * kSpread;
  }
  std::vector<uint32_t> order(examples_.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && examples_[end].longest() == examples_[begin].longest()) ++end;
    std::sort(
        order.begin() + static_cast<int64_t>(begin), order.begin() + static_cast<int64_t>(end),
        [&](uint32_t a, uint32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  }
  return order;
}

PairBatch PairData::batch(Pick pick) const {
  ensure<Error>(pick.epoch >= 0, name_, ": epoch ", pick.epoch, " asked for");
  const auto order = orders_->of(pick.epoch, [this](int64_t epoch) { return epoch_order(epoch); });
  return make(pick.index, order.get());
}

PairBatch PairData::eval_batch(int64_t index) const { return make(index, nullptr); }

PairBatch PairData::make(int64_t index, const std::vector<uint32_t>* order) const {
  ensure<Error>(index >= 0 && index < batches(), name_, ": batch ", index, " asked for, there are ",
                batches());
  const size_t first = starts_[static_cast<size_t>(index)];
  const size_t rows = starts_[static_cast<size_t>(index) + 1] - first;
  const auto row = [&](size_t i) -> const Example& {
    return examples_[order ? (*order)[first + i] : first + i];
  };
  size_t source_width = 1, target_width = 1;
  for (size_t i = 0; i < rows; ++i) {
    source_width = std::max(source_width, static_cast<size_t>(row(i).source));
    target_width = std::max(target_width, static_cast<size_t>(row(i).target));
  }
  std::vector<int64_t> source(rows * source_width, options_.pad_id);
  std::vector<int64_t> decoder(rows * target_width, options_.pad_id),
      targets(rows * target_width, kIgnored);
  const auto mask = std::make_unique<bool[]>(rows * source_width);
  PairBatch out;
  size_t real = 0;  // source places in use
  for (size_t i = 0; i < rows; ++i) {
    const Example& example = row(i);
    const int32_t* from = ids_.data() + example.begin;
    std::copy_n(from, example.source, source.begin() + static_cast<int64_t>(i * source_width));
    std::fill_n(mask.get() + i * source_width, example.source, true);
    from += example.source;
    std::copy_n(from, example.target, targets.begin() + static_cast<int64_t>(i * target_width));
    decoder[i * target_width] = options_.start_id;
    std::copy_n(from, example.target - 1,
                decoder.begin() + static_cast<int64_t>(i * target_width) + 1);
    real += static_cast<size_t>(example.source);
    out.tokens += example.target;
    out.positions.push_back(example.position);
  }
  const Shape source_shape{static_cast<int64_t>(rows), static_cast<int64_t>(source_width)};
  const Shape target_shape{static_cast<int64_t>(rows), static_cast<int64_t>(target_width)};
  out.source = from_values(source, source_shape);
  if (real < rows * source_width)
    out.source_mask =
        from_values(std::span<const bool>(mask.get(), rows * source_width), source_shape);
  out.decoder_ids = from_values(decoder, target_shape);
  out.targets = from_values(targets, target_shape);
  out.padding = static_cast<int64_t>(rows * (source_width + target_width) - real) - out.tokens;
  return out;
}

double PairData::padding_waste() const {
  const auto order = orders_->of(0, [this](int64_t epoch) { return epoch_order(epoch); });
  int64_t places = 0;
  for (size_t b = 0; b + 1 < starts_.size(); ++b) {
    int64_t source = 0, target = 0;
    for (size_t i = starts_[b]; i < starts_[b + 1]; ++i) {
      source = std::max<int64_t>(source, examples_[(*order)[i]].source);
      target = std::max<int64_t>(target, examples_[(*order)[i]].target);
    }
    places += static_cast<int64_t>(starts_[b + 1] - starts_[b]) * (source + target);
  }
  const int64_t used = source_tokens_ + target_tokens_;
  return static_cast<double>(places - used) / static_cast<double>(places);
}

int64_t PairData::longest_target() const {
  int64_t longest = 0;
  for (const Example& one : examples_) longest = std::max<int64_t>(longest, one.target);
  return longest;
}

std::string PairData::describe() const {
  return text_of(name_, ": ", format_count(size()), " pairs, ", format_count(source_tokens_),
                 " source and ", format_count(target_tokens_), " target tokens in ",
                 format_count(batches()), " batches, ", fixed(100 * padding_waste(), 1),
                 " % padding");
}

}  // namespace jogak
