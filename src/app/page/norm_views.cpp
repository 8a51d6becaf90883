// Norms side by side on the same values, and the size of the stream they keep in check.
#include <cmath>

#include "app/page/pass_views.h"
#include "app/page/watch.h"
#include "look/recorder.h"

namespace jogak {
namespace {

constexpr double kEps = 1e-5;
constexpr int64_t kNormTokens = 48, kShownFeatures = 48;

// What each norm was given and made; the values of one of them.
class NormBook : public Probe {
 public:
  explicit NormBook(int64_t wanted) : wanted_(wanted) {}
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override {
    if (step.part != Part::norm) return out;
    if (static_cast<int64_t>(places.size()) == wanted_) given = in.detach(), made = out.detach();
    places.push_back(step.name());
    return out;
  }
  std::vector<std::string> places;
  Tensor given, made;

 private:
  int64_t wanted_;
};

// Tokens of the first text by features.
Matrix token_rows(const Tensor& x) {
  const int64_t C = x.dim(-1), T = x.rank() >= 2 ? x.dim(-2) : 1;
  std::vector<double> all = to_host<double>(x);
  all.resize(static_cast<size_t>(T * C));
  Matrix out(T, C);
  out.values = std::move(all);
  return out;
}

struct Size {
  double mean = 0, deviation = 0, root = 0;  // root: of the mean square
};
template <class At>
Size size_of(int64_t count, const At& at) {
  Size out;
  const auto n = static_cast<double>(count);
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) out.mean += at(i) / n, squares += at(i) * at(i) / n;
  double spread = 0;
  for (int64_t i = 0; i < count; ++i) spread += (at(i) - out.mean) * (at(i) - out.mean) / n;
  out.deviation = std::sqrt(spread), out.root = std::sqrt(squares);
  return out;
}

Json corner(const Matrix& m) {
  Matrix out(std::min(m.rows, kNormTokens), std::min(m.columns, kShownFeatures));
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j) out.at(i, j) = m.at(i, j);
  return rows_json(out);
}

double divided(double x, double deviation) { return x / std::sqrt(deviation * deviation + kEps); }

}  // namespace

Json norms_compared(const InspectSubject& subject, const PassQuestion& q, int64_t place) {
  const InspectInput input = subject.input_or_any(q.input);
  NormBook book(place);
  watch(subject, input, q, book);
  ensure<UsageError>(book.given.defined(), "place: found ", place, ", the model has ",
                     book.places.size(), " norms, counted from 0");
  const Matrix x = token_rows(book.given);
  Matrix layer = x, rms = x, batch = x;
  std::vector<Size> tokens, features;
  for (int64_t t = 0; t < x.rows; ++t)
    tokens.push_back(size_of(x.columns, [&](int64_t i) { return x.at(t, i); }));
  for (int64_t c = 0; c < x.columns; ++c)
    features.push_back(size_of(x.rows, [&](int64_t i) { return x.at(i, c); }));
  for (int64_t t = 0; t < x.rows; ++t)
    for (int64_t c = 0; c < x.columns; ++c) {
      const Size &row = tokens[static_cast<size_t>(t)], &column = features[static_cast<size_t>(c)];
      layer.at(t, c) = divided(x.at(t, c) - row.mean, row.deviation);
      rms.at(t, c) = divided(x.at(t, c), row.root);
      batch.at(t, c) = divided(x.at(t, c) - column.mean, column.deviation);
    }
  const auto listed = [](const std::vector<Size>& sizes, double Size::*member) {
    Json out = Json::array();
    for (const Size& one : sizes) out.push(one.*member);
    return out;
  };
  Json out = Json::object();
  tell_tokens(subject, input.names, out);
  out.set("places", Json::list(book.places)).set("place", place).set("input", corner(x));
  out.set("layer", corner(layer)).set("rms", corner(rms)).set("batch", corner(batch));
  out.set("own", corner(token_rows(book.made))).set("mean", listed(tokens, &Size::mean));
  out.set("deviation", listed(tokens, &Size::deviation));
  out.set("rms_size", listed(tokens, &Size::root));
  out.set("feature_mean", listed(features, &Size::mean));
  return std::move(out.set("feature_deviation", listed(features, &Size::deviation)));
}

Json stream_sizes(const InspectSubject& subject, const PassQuestion& q) {
  const InspectInput input = subject.input_or_any(q.input);
  Recorder recorder({.layers = true});
  watch(subject, input, q, recorder);
  Matrix sizes(static_cast<int64_t>(recorder.layers.size()), 0);
  for (size_t i = 0; i < recorder.layers.size(); ++i) {
    const Matrix x = token_rows(recorder.layers[i]);
    if (i == 0) sizes = Matrix(sizes.rows, x.rows);
    for (int64_t t = 0; t < std::min(x.rows, sizes.columns); ++t)
      sizes.at(static_cast<int64_t>(i), t) =
          size_of(x.columns, [&](int64_t c) { return x.at(t, c); }).root;
  }
  Json out = Json::object();
  tell_tokens(subject, input.names, out);
  return std::move(
      out.set("layers", Json::list(recorder.layer_names)).set("sizes", rows_json(sizes)));
}

}  // namespace jogak
