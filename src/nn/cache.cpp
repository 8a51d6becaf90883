#include "nn/cache.h"

#include <algorithm>

namespace jogak {

KvCache::KvCache(CacheShape shape) : shape_(shape) {
  ensure<ShapeError>(shape.layers > 0 && shape.kv_heads > 0 && shape.key_width > 0 &&
                         shape.value_width > 0 && shape.context > 0,
                     "cache: ", shape.layers, " layers, ", shape.kv_heads, " heads, widths ",
                     shape.key_width, " and ", shape.value_width, ", context ", shape.context,
                     ": wanted positive numbers");
}

static PageLayout layout_of(const CacheShape& shape, int64_t layer) {
  PageLayout l{shape.kv_heads, shape.key_width, shape.value_width, 0, shape.type};
  l.first = layer * (l.key_size() + l.value_size());
  return l;
}

int64_t page_bytes(const CacheShape& shape) {
  return layout_of(shape, shape.layers).first * static_cast<int64_t>(sizeof(float));
}

int KvCache::add() {
  for (size_t i = 0; i < sequences_.size(); ++i) {
    if (sequences_[i].used) continue;
    sequences_[i].used = true;
    return static_cast<int>(i);
  }
  sequences_.push_back({.used = true, .length = 0, .pages = {}});
  return static_cast<int>(sequences_.size()) - 1;
}

int KvCache::fork(int sequence) {
  const int copy = add();
  const Sequence& from = sequences_.at(static_cast<size_t>(sequence));
  sequences_[static_cast<size_t>(copy)] = from;
  for (const int page : from.pages) ++pages_[static_cast<size_t>(page)].users;
  return copy;
}

int KvCache::fork(int sequence, int64_t tokens) {
  ensure<ShapeError>(tokens % kPageTokens == 0 && tokens <= length(sequence), "cache: ", tokens,
                     " tokens of ", length(sequence), ", wanted whole pages of ", kPageTokens);
  const int copy = add();
  const std::vector<int>& from = sequences_.at(static_cast<size_t>(sequence)).pages;
  Sequence& out = sequences_[static_cast<size_t>(copy)];
  out.length = tokens;
  out.pages.assign(from.begin(), from.begin() + tokens / kPageTokens);
  for (const int page : out.pages) ++pages_[static_cast<size_t>(page)].users;
  return copy;
}

void KvCache::remove(int sequence) {
  Sequence& s = sequences_.at(static_cast<size_t>(sequence));
  for (const int page : s.pages) drop_page(page);
  s = {};
}

int64_t KvCache::length(int sequence) const {
  return sequences_.at(static_cast<size_t>(sequence)).length;
}

// Keys behind the end of a sequence are read and masked, whatever they are; on a GPU values, too.
void KvCache::make_page(bool touched) {
  const Shape floats{page_bytes(shape_) / static_cast<int64_t>(sizeof(float))};
  const bool zero = touched || device().kind() != Device::Kind::cpu;
  pages_.push_back({zero ? zeros(floats, DType::f32, device()) : empty(floats, DType::f32), 0});
  free_pages_.push_back(static_cast<int>(pages_.size()) - 1);
}

void KvCache::make_pages(int64_t count) {
  while (std::ssize(pages_) < count) make_page(true);
}

int KvCache::take_page() {
  if (free_pages_.empty()) make_page(false);
  const int page = free_pages_.back();
  free_pages_.pop_back();
  pages_[static_cast<size_t>(page)].users = 1;
  ++live_pages_;
  return page;
}

void KvCache::drop_page(int page) {
  if (--pages_[static_cast<size_t>(page)].users > 0) return;
  free_pages_.push_back(page);
  --live_pages_;
}

void KvCache::make_room(Sequence& s, int64_t tokens) {
  const bool last_is_open = s.length % kPageTokens != 0;
  if (last_is_open && pages_[static_cast<size_t>(s.pages.back())].users > 1) {
    const int own = take_page();  // shared with a fork: copy before writing
    copy_into(pages_[static_cast<size_t>(own)].values,
              pages_[static_cast<size_t>(s.pages.back())].values);
    drop_page(s.pages.back());
    s.pages.back() = own;
  }
  const int64_t wanted = (s.length + tokens + kPageTokens - 1) / kPageTokens;
  while (static_cast<int64_t>(s.pages.size()) < wanted) s.pages.push_back(take_page());
  s.length += tokens;
}

CacheStep KvCache::begin(const std::vector<int>& sequences, const std::vector<int64_t>& counts) {
  CacheStep step;
  begin(sequences, counts, step);
  return step;
}

void KvCache::begin(const std::vector<int>& sequences, const std::vector<int64_t>& counts,
                    CacheStep& step) {
  step.sequences.clear(), step.positions.clear(), step.wanted.clear();
  for (size_t i = 0; i < sequences.size(); ++i) {
    Sequence& s = sequences_.at(static_cast<size_t>(sequences[i]));
    ensure<ShapeError>(s.length + counts[i] <= shape_.context, "a sequence of ",
                       s.length + counts[i], " tokens, but the model's context is ",
                       shape_.context);
    for (int64_t t = 0; t < counts[i]; ++t) {
      step.sequences.push_back(sequences[i]);
      step.positions.push_back(s.length + t);
    }
    make_room(s, counts[i]);
  }
  look_up(step);
}

PageLayout KvCache::layout(int64_t layer) const { return layout_of(shape_, layer); }

const Tensor& KvCache::page(int sequence, int64_t page) const {
  const Sequence& s = sequences_.at(static_cast<size_t>(sequence));
  return pages_[static_cast<size_t>(s.pages.at(static_cast<size_t>(page)))].values;
}

std::vector<int64_t> KvCache::addresses(int sequence, int64_t tokens) const {
  std::vector<int64_t> out;
  for (int64_t p = 0; p * kPageTokens < tokens; ++p) out.push_back(page_address(page(sequence, p)));
  return out;
}

// One array for all tables, so that one copy takes them to the device.
void KvCache::look_up(CacheStep& step) const {
  std::vector<PageRun> runs;
  std::vector<int64_t> slots;
  for (int64_t r = 0; r < step.rows(); ++r) {
    const int sequence = step.sequences[static_cast<size_t>(r)];
    const int64_t position = step.positions[static_cast<size_t>(r)];
    const bool goes_on = r > 0 && sequence == step.sequences[static_cast<size_t>(r) - 1];
    if (!goes_on)
      runs.push_back({.first = r,
                      .rows = 0,
                      .position = position,
                      .pages = addresses(sequence, length(sequence))});
    ++runs.back().rows;
    slots.push_back(runs.back().pages[static_cast<size_t>(position / kPageTokens)]);
    slots.push_back(position % kPageTokens);
  }
  PageNumbers numbers = page_numbers(runs, step.room);
  std::vector<int64_t> all = std::move(numbers.runs);
  for (const auto* part : {&numbers.pages, &slots, &step.positions})
    all.insert(all.end(), part->begin(), part->end());

  const auto size = static_cast<int64_t>(all.size()), count = static_cast<int64_t>(runs.size());
  if (!step.tables.defined() || step.tables.count() != size || step.runs.table.dim(0) != count)
    step.tables = empty({size}, DType::i64, device());
  device().write(step.tables.storage()->data(), all.data(), all.size() * sizeof(int64_t));
  int64_t from = 0;
  const auto next = [&](const Shape& shape) {
    const Tensor out = step.tables.view(shape, row_major(shape), from);
    from += shape.count();
    return out;
  };
  step.runs.table = next({count, 4});
  step.runs.pages = next({count, numbers.most});
  step.runs.reach =  // what has room for more pages must hold when they come
      step.room > 0 ? std::min(numbers.most * kPageTokens, shape_.context) : numbers.reach;
  step.slots.table = next({step.rows(), 2});
  step.places = next({1, step.rows()});
}

PageRuns KvCache::over(const std::vector<int>& sequences) const {
  std::vector<PageRun> runs;
  for (size_t r = 0; r < sequences.size(); ++r) {
    if (r > 0 && sequences[r] == sequences[r - 1]) {
      ++runs.back().rows;
      continue;
    }
    const int64_t tokens = length(sequences[r]);
    runs.push_back({.first = static_cast<int64_t>(r),
                    .rows = 1,
                    .position = tokens - 1,
                    .stride = 0,
                    .pages = addresses(sequences[r], tokens)});
  }
  PageRuns out = page_runs(runs, device());
  out.sequences = sequences;
  return out;
}

PageSlots KvCache::all_of(const std::vector<int>& sequences, int64_t longest) const {
  std::vector<int64_t> pages, places;
  for (const int sequence : sequences) {
    const std::vector<int64_t> own = addresses(sequence, length(sequence));
    for (int64_t t = 0; t < longest; ++t) {
      pages.push_back(t < length(sequence) ? own[static_cast<size_t>(t / kPageTokens)] : 0);
      places.push_back(t % kPageTokens);
    }
  }
  return page_slots(pages, places, device());
}

}  // namespace jogak
