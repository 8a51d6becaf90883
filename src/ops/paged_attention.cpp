#include "ops/paged_attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/paged_attention_kernel.h"

namespace jogak {

static void check_distances(const Tensor& q, const PageRuns& runs, const PagedAttentionOptions& o) {
  const Tensor& bias = o.distance_bias;
  if (!bias.defined()) return;
  ensure<ShapeError>(bias.rank() == 2 && bias.dim(0) == q.dim(1) && bias.dim(1) >= runs.reach &&
                         bias.strides()[1] == 1 && bias.dtype() == DType::f32,
                     "paged_attention: the bias by distance is ", bias.dtype(), " ", bias.shape(),
                     ", wanted f32 [", q.dim(1), ", ", runs.reach, " or more]");
  ensure<ShapeError>(o.cap == 0 && !o.key_bias.defined(),
                     "paged_attention: a bias by distance goes with no cap and no key bias");
}

static void check(const Tensor& q, const PageRuns& runs, const PageLayout& layout,
                  const PagedAttentionOptions& o) {
  const Tensor& bias = o.key_bias;
  ensure<ShapeError>(q.rank() == 3 && q.dim(2) == layout.key_width && layout.kv_heads > 0 &&
                         q.dim(1) % layout.kv_heads == 0 && is_float(q.dtype()),
                     "paged_attention: found queries ", q.dtype(), " ", q.shape(),
                     ", wanted floats [rows, a multiple of ", layout.kv_heads, " heads, ",
                     layout.key_width, "]");
  ensure_together("paged_attention", {&q, &runs.table, &runs.pages, &bias, &o.distance_bias});
  check_distances(q, runs, o);
  if (!bias.defined()) return;
  ensure<ShapeError>(bias.rank() == 3 && bias.dim(0) == 1 && bias.dim(1) == q.dim(1) &&
                         bias.dim(2) >= runs.reach && bias.strides()[2] == 1 &&
                         bias.dtype() == DType::f32,
                     "attention: the key bias is ", bias.dtype(), " ", bias.shape(),
                     ", wanted [1, ", q.dim(1), ", ", runs.reach, " or more]");
}

static void check_pages(const char* op, const PageLayout& layout, const Tensor& x) {
  ensure<DeviceError>(layout.type != CacheType::q8 || !x.on_cuda(), op,
                      ": pages on a GPU hold f32 or bf16");
}

// As kernels read it: its last axis packed, in f32, of which a GPU's make 16-bit types themselves.
static Tensor readable(const Tensor& x) {
  const bool as_it_is = x.dtype() == DType::f32 ||
                        (x.on_cuda() && (x.dtype() == DType::bf16 || x.dtype() == DType::f16));
  const Tensor typed = as_it_is ? x : cast(x, DType::f32);
  return typed.strides()[typed.rank() - 1] == 1 ? typed : dense(typed);
}

int64_t page_address(const Tensor& page) { return reinterpret_cast<int64_t>(page.data<float>()); }

PageSlots page_slots(const std::vector<int64_t>& pages, const std::vector<int64_t>& places,
                     Device& device) {
  std::vector<int64_t> table;
  for (size_t i = 0; i < pages.size(); ++i) table.insert(table.end(), {pages[i], places[i]});
  return {from_values(table, {static_cast<int64_t>(pages.size()), 2}, device)};
}

PageNumbers page_numbers(const std::vector<PageRun>& runs, int64_t room) {
  PageNumbers out{{}, {}, room, 0};
  for (const PageRun& run : runs)
    out.most = std::max(out.most, static_cast<int64_t>(run.pages.size()));
  for (const PageRun& run : runs) {
    out.runs.insert(out.runs.end(), {run.first, run.rows, run.position, run.stride});
    out.pages.insert(out.pages.end(), run.pages.begin(), run.pages.end());
    out.pages.resize(out.runs.size() / 4 * static_cast<size_t>(out.most), 0);
    out.reach = std::max(out.reach, run.position + (run.rows - 1) * run.stride + 1);
  }
  return out;
}

PageRuns page_runs(const std::vector<PageRun>& runs, Device& device) {
  const PageNumbers n = page_numbers(runs);
  const auto count = static_cast<int64_t>(runs.size());
  return {from_values(n.runs, {count, 4}, device), from_values(n.pages, {count, n.most}, device),
          n.reach};
}

void cache_rows(const Tensor& rows_in, const PageSlots& slots, const PageLayout& layout) {
  const int64_t width = layout.kv_heads * (layout.key_width + layout.value_width);
  ensure<ShapeError>(rows_in.rank() == 2 && rows_in.dim(1) == width &&
                         slots.table.shape() == Shape{rows_in.dim(0), 2},
                     "cache_rows: found rows ", rows_in.shape(), " for places ",
                     slots.table.shape(), ", wanted ", width, " columns and a place for each row");
  ensure_together("cache_rows", {&rows_in, &slots.table});
  check_pages("cache_rows", layout, rows_in);
  const Tensor rows = readable(rows_in);
  launch(rows.device(), CacheRowsArgs{rows.dtype(), rows.raw(), rows.strides()[0], rows.dim(0),
                                      slots.table.data<int64_t>(), layout});
}

Tensor paged_attention(const Tensor& q_in, const PageRuns& runs, const PageLayout& layout,
                       const PagedAttentionOptions& o) {
  check(q_in, runs, layout, o);
  check_pages("paged_attention", layout, q_in);
  const Tensor q = readable(q_in);
  const Tensor out = empty(q.shape().with(2, layout.value_width), q.dtype(), q.device());
  PagedAttentionArgs args{
      .dtype = q.dtype(), .layout = layout, .rows = q.dim(0), .heads = q.dim(1)};
  args.scale = o.scale != 0 ? o.scale : 1 / std::sqrt(static_cast<double>(layout.key_width));
  args.window = o.window, args.cap = o.cap;
  args.q = q.raw(), args.q_row = q.strides()[0], args.q_head = q.strides()[1];
  args.out = out.raw();
  if (o.key_bias.defined())
    args.bias = {o.key_bias.raw(), 0, o.key_bias.strides()[1], o.key_bias.dim(2)};
  if (o.distance_bias.defined())
    args.distances = {o.distance_bias.raw(), o.distance_bias.strides()[0], o.distance_bias.dim(1),
                      o.distance_bias.dim(1) - 1};
  args.runs = runs.table.data<int64_t>(), args.run_count = runs.table.dim(0);
  args.pages = runs.pages.data<int64_t>(), args.most = runs.pages.dim(1);
  launch(q.device(), args);
  return record_constant("paged_attention", cast(out, q_in.dtype()), {q_in});
}

}  // namespace jogak
