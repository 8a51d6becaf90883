#include "look/step_book.h"

namespace jogak {
namespace {

// The numbers of one token: [.., T, C] -> a row, [B, T, H, D] -> a row for each head, and of
// weights [B, H, T, T] what each head gives the token's query.
Matrix values_of(const Tensor& x, int64_t token, bool weights) {
  if (!is_float(x.dtype()) || x.rank() == 0 || x.count() == 0) return {};
  const bool heads = x.rank() == 4 && !weights;
  const int axis = weights ? 2 : heads ? 1 : x.rank() - 2;  // of the tokens
  const int64_t tokens = x.rank() >= 2 ? x.dim(axis) : 1;
  const int64_t at = x.rank() == 2 && tokens == 1 ? 0 : std::min(token, tokens - 1);
  const int64_t lines = weights ? x.dim(1) : heads ? x.dim(2) : 1;
  const int64_t rows = std::min(lines, StepBook::kRows);
  const int64_t columns = std::min(x.dim(-1), StepBook::kColumns);
  const auto& s = x.strides();
  int64_t offset = x.offset();
  if (x.rank() >= 2) offset += at * s[static_cast<size_t>(axis)];
  const int64_t line = weights ? s[1] : heads ? s[2] : 0;
  const std::vector<double> all = to_host<double>(
      x.view({rows, columns}, {line, s[static_cast<size_t>(x.rank() - 1)]}, offset).detach());
  Matrix out(rows, columns);
  out.values = all;
  return out;
}

}  // namespace

bool repeats_another(Part part) {
  return part == Part::skip || part == Part::attention || part == Part::cross || part == Part::ffn;
}

std::string StepBook::role_of(const ProbeStep& step, const std::string& name) {
  switch (step.part) {
    case Part::positions: return "positions";
    case Part::norm: return "norm";
    case Part::layer: place_ = Place::before; return "layer";
    case Part::heads:
    case Part::cross_heads: place_ = Place::after; return "heads";
    default: break;
  }
  for (const char* plain : {"q", "k", "v", "weights", "sum", "gated"})
    if (step.detail == plain) return plain;
  if (step.layer < 0) return in_layers_ ? "head" : "embedding";
  if (place_ == Place::after) {
    place_ = Place::inside;
    return "mix";
  }
  for (const char* word : {"attn", "ttention"})  // T5 has SelfAttention
    if (name.find(word) != std::string::npos) return "project";
  if (place_ == Place::widened) {
    place_ = Place::inside;
    return "narrow";
  }
  place_ = Place::widened;
  return "widen";
}

Tensor StepBook::pass(const ProbeStep& step, const Tensor&, const Tensor& out) {
  if (step.layer >= 0) in_layers_ = true;
  if (repeats_another(step.part)) return out;
  StepPage page{measured(step, out, true), {}, {}};
  // The decoder of an encoder-decoder begins anew, behind the encoder's layers.
  if (step.layer < 0 && (step.part == Part::positions || (reads_ && !step.source)))
    in_layers_ = false;
  reads_ = step.source;
  page.role = role_of(step, page.record.name);
  page.values = values_of(out, token_, page.role == "weights");
  pages.push_back(std::move(page));
  return out;
}

}  // namespace jogak
