#include "tests/explain/random_inputs.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace jogak::test {
namespace {

int64_t size_of(std::string_view text, std::map<char, int64_t>& sizes, Rng& rng) {
  if (text[0] >= '0' && text[0] <= '9') return std::stoll(std::string(text));
  return sizes.emplace(text[0], static_cast<int64_t>(1 + rng.below(5))).first->second;
}

double thousandths(double x) { return std::round(x * 1000) / 1000; }

Matrix random_matrix(const TopicInput& input, std::map<char, int64_t>& sizes, Rng& rng) {
  const size_t comma = input.shape.find(',');
  const int64_t rows = size_of(input.shape.substr(0, comma), sizes, rng);
  Matrix out(rows, size_of(input.shape.substr(comma + 1), sizes, rng));
  const double low = std::max(input.low, -3.0), high = std::min(input.high, 3.0);
  for (double& x : out.values) x = std::max(low, thousandths(low + (high - low) * rng.uniform()));
  if (input.kind == TopicInput::Kind::indices)
    for (double& x : out.values) x = std::floor(x);
  if (input.kind == TopicInput::Kind::mask)
    for (double& x : out.values) x = rng.below(3) ? 1 : 0;
  if (input.kind == TopicInput::Kind::shares)
    for (int64_t i = 0; i < out.rows; ++i) {  // thousandths that add up to 1
      double left = 1;
      for (int64_t j = 0; j + 1 < out.columns; ++j) {
        out.at(i, j) = thousandths(0.001 + (left - 0.05) * rng.uniform() * 0.7);
        left -= out.at(i, j);
      }
      out.at(i, out.columns - 1) = thousandths(left);
    }
  return out;
}

// A divisor of a size that is known by now.
double random_divisor(int64_t size, Rng& rng) {
  std::vector<int64_t> all;
  for (int64_t i = 1; i <= size; ++i)
    if (size % i == 0) all.push_back(i);
  return double(all[rng.below(all.size())]);
}

bool is_whole(const TopicInput& input) {
  return input.kind == TopicInput::Kind::integer || input.kind == TopicInput::Kind::even;
}

}  // namespace

bool can_randomise(const std::string& topic) {
  const auto inputs = topic_inputs(topic);
  return !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [](const TopicInput& one) {
    const bool ranged = is_whole(one) && one.low > -kLargestEntry;
    return !one.shape.empty() || ranged;
  });
}

ExplainRequest random_request(const std::string& topic, Rng& rng) {
  ExplainRequest request;
  request.topic = topic;
  request.level = static_cast<Level>(rng.below(3));
  std::map<char, int64_t> sizes;
  for (const TopicInput& input : topic_inputs(topic)) {
    const std::string name(input.name);
    if (input.kind == TopicInput::Kind::divisor) {
      request.inputs[name] = Matrix::row_of({random_divisor(sizes.at(input.shape.front()), rng)});
    } else if (is_whole(input)) {
      const double step = input.kind == TopicInput::Kind::even ? 2 : 1;
      const auto choices =
          uint64_t((std::min(input.high, input.low + 6 * step) - input.low) / step);
      request.inputs[name] = Matrix::row_of({input.low + step * double(rng.below(choices + 1))});
    } else {
      request.inputs[name] = random_matrix(input, sizes, rng);
    }
  }
  return request;
}

}  // namespace jogak::test
