// Rounding by what layers read: the same codes as a plain program in double, never a larger error
// of the outputs than rounding to nearest, and a model that reads new text better.
#include "app/tools/rounding.h"

#include <cmath>

#include "app/measure/eval.h"
#include "app/tools/quantize.h"
#include "app/tools/quantize_wide.h"
#include "app/train/train.h"
#include "base/file.h"
#include "base/parallel.h"
#include "tests/app/recipe_jobs.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using Doubles = std::vector<std::vector<double>>;

// Numbers between -1 and 1, always the same.
struct Numbers {
  uint64_t state = 88172645463325252ull;
  double next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<double>(state % 2000001) / 1e6 - 1;
  }
};

Tensor random_matrix(int64_t rows, int64_t cols, Numbers& numbers) {
  std::vector<float> out;
  for (int64_t i = 0; i < rows * cols; ++i) out.push_back(static_cast<float>(numbers.next()));
  return from_values(out, {rows, cols});
}

// Inputs whose columns go together, as those of layers do: sums over neighbours.
Tensor related_inputs(int64_t rows, int64_t cols, Numbers& numbers) {
  const Tensor out = random_matrix(rows, cols, numbers);
  float* const x = out.data<float>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 1; c < cols; ++c) x[r * cols + c] += 0.8f * x[r * cols + c - 1];
  return out;
}

Doubles moments_of(const Tensor& x) {
  const int64_t rows = x.dim(0), n = x.dim(1);
  Doubles out(static_cast<size_t>(n), std::vector<double>(static_cast<size_t>(n)));
  for (int64_t r = 0; r < rows; ++r)
    for (size_t i = 0; i < out.size(); ++i)
      for (size_t j = 0; j < out.size(); ++j)
        out[i][j] += static_cast<double>(x.data<float>()[r * n + static_cast<int64_t>(i)]) *
                     x.data<float>()[r * n + static_cast<int64_t>(j)] / static_cast<double>(rows);
  return out;
}

Doubles inverse(Doubles a) {
  const size_t n = a.size();
  Doubles out(n, std::vector<double>(n));
  for (size_t i = 0; i < n; ++i) out[i][i] = 1;
  for (size_t p = 0; p < n; ++p) {
    const double pivot = a[p][p];
    for (size_t j = 0; j < n; ++j) a[p][j] /= pivot, out[p][j] /= pivot;
    for (size_t i = 0; i < n; ++i) {
      const double factor = i == p ? 0 : a[i][p];
      for (size_t j = 0; j < n; ++j) a[i][j] -= factor * a[p][j], out[i][j] -= factor * out[p][j];
    }
  }
  return out;
}

// GPTQ as its paper states it: round a column, spread its error over the rest by the inverse of the
// moments, take the column out of the inverse.
std::vector<int> plain_codes(std::vector<double> w, Doubles h, double scale, int bits) {
  double mean = 0;
  for (size_t i = 0; i < h.size(); ++i) mean += h[i][i] / static_cast<double>(h.size());
  for (size_t i = 0; i < h.size(); ++i) h[i][i] += 0.01 * mean;
  Doubles inv = inverse(h);
  const int zero = 1 << (bits - 1);
  std::vector<int> out;
  for (size_t j = 0; j < w.size(); ++j) {
    const double code = std::clamp(std::nearbyint(w[j] / scale), -1.0 * zero, zero - 1.0);
    out.push_back(static_cast<int>(code) + zero);
    const double error = (w[j] - scale * code) / inv[j][j];
    for (size_t k = j; k < w.size(); ++k) w[k] -= error * inv[j][k];
    const std::vector<double> row = inv[j];
    for (size_t a = 0; a < w.size(); ++a)
      for (size_t b = 0; b < w.size(); ++b) inv[a][b] -= row[a] * row[b] / row[j];
  }
  return out;
}

double energy(const std::vector<double>& e, const Doubles& h) {
  double sum = 0;
  for (size_t i = 0; i < e.size(); ++i)
    for (size_t j = 0; j < e.size(); ++j) sum += e[i] * h[i][j] * e[j];
  return sum;
}

std::vector<double> row_of(const Tensor& x, int64_t row) {
  const float* const from = x.data<float>() + row * x.dim(1);
  return {from, from + x.dim(1)};
}

// What a row of a quantised matrix changes of the outputs, squared.
double row_error(const Tensor& w, const QuantizedMatrix& m, int64_t row, const Doubles& h) {
  std::vector<double> e = row_of(w, row);
  const std::vector<double> q = row_of(dequantized(m), row);
  for (size_t i = 0; i < e.size(); ++i) e[i] -= q[i];
  return energy(e, h);
}

TEST(UpperRoot, TimesItsTransposeIsTheMatrix) {
  Numbers numbers;
  for (const int64_t n : {1, 5, 64, 65, 130}) {
    const Doubles h = moments_of(related_inputs(3 * n, n, numbers));
    const Tensor a = empty({n, n}, DType::f64);
    const auto at = [&](size_t i, size_t j) -> double& {
      return a.data<double>()[static_cast<int64_t>(i) * n + static_cast<int64_t>(j)];
    };
    for (size_t i = 0; i < h.size(); ++i)
      for (size_t j = 0; j < h.size(); ++j) at(i, j) = i <= j ? h[i][j] : NAN;  // never read
    ASSERT_TRUE(upper_root(a)) << n;
    for (size_t i = 0; i < h.size(); ++i)
      for (size_t j = 0; j < h.size(); ++j) {
        double sum = 0;
        for (size_t k = 0; k < h.size(); ++k) sum += at(i, k) * at(j, k);
        EXPECT_NEAR(sum, h[i][j], 1e-11) << n;
        if (i > j) {
          EXPECT_EQ(at(i, j), 0);
        }
      }
  }
  EXPECT_FALSE(upper_root(from_values(std::vector<double>{1, 2, 2, 1}, {2, 2})));
}

TEST(Moments, AreSumsOfProducts) {
  Numbers numbers;
  const Tensor x = related_inputs(70, 600, numbers);  // more than a panel wide
  Moments m(600);
  m.add(x.view({2, 20, 600}, {12000, 600, 1}, 0));
  m.add(x.view({30, 600}, {600, 1}, 40 * 600));
  EXPECT_EQ(m.rows(), 70);
  const Doubles wanted = moments_of(x);
  const Tensor got = m.whole();
  for (size_t i = 0; i < 600; i += 7)
    for (size_t j = 0; j < 600; j += 11)
      EXPECT_NEAR(got.data<float>()[i * 600 + j], wanted[i][j], 2e-5);
}

struct Exact {
  int bits;
  int64_t cols;  // one scale a row: it is known before the first column is rounded
};

// Where codes are one scale a row, every step is that of the plain program.
TEST(Rounding, HasTheCodesOfAPlainProgramInDouble) {
  for (const Exact c : {Exact{4, 160}, Exact{8, 160}, Exact{8, 24}}) {
    Numbers numbers;
    const Tensor x = related_inputs(400, c.cols, numbers), w = random_matrix(5, c.cols, numbers);
    Moments moments(c.cols);
    moments.add(x);
    const RoundedMatrix got = rounded_for(w, c.bits, c.cols, moments);
    const QuantizedMatrix nearest = quantized(w, c.bits, c.cols);
    const Doubles h = moments_of(x);
    int fed = 0;
    for (int64_t r = 0; r < 5; ++r) {
      const double scale = nearest.scales.data<float>()[r];
      const std::vector<int> plain = plain_codes(row_of(w, r), h, scale, c.bits);
      std::vector<int> codes(got.matrix.codes.data<uint8_t>() + r * c.cols,
                             got.matrix.codes.data<uint8_t>() + (r + 1) * c.cols);
      EXPECT_EQ(got.matrix.scales.data<float>()[r], nearest.scales.data<float>()[r]);
      EXPECT_EQ(codes, plain) << c.bits << " bits, row " << r;
      fed += row_error(w, got.matrix, r, h) < row_error(w, nearest, r, h) ? 1 : 0;
    }
    EXPECT_EQ(fed, 5);
  }
}

TEST(Rounding, NoRowsOutputsAreFartherThanByRoundingToNearest) {
  Numbers numbers;
  for (const auto& [bits, group, rows] :
       {std::tuple<int, int64_t, int64_t>{4, 16, 300},
        {4, 64, 300},
        {4, 192, 300},
        {8, 192, 300},
        {8, 32, 300},
        {4, 64, 7}}) {  // fewer inputs than columns: many errors cost nothing
    const Tensor x = related_inputs(rows, 192, numbers), w = random_matrix(9, 192, numbers);
    Moments moments(192);
    moments.add(x);
    const RoundedMatrix got = rounded_for(w, bits, group, moments);
    const QuantizedMatrix nearest = quantized(w, bits, group);
    const Doubles h = moments_of(x);
    double ours = 0, theirs = 0, size = 0;
    for (int64_t r = 0; r < 9; ++r) {
      const double a = row_error(w, got.matrix, r, h), b = row_error(w, nearest, r, h);
      EXPECT_LE(a, b * (1 + 1e-4));  // both as f32 sums see them
      ours += a, theirs += b, size += energy(row_of(w, r), h);
    }
    EXPECT_LT(ours, 0.7 * theirs) << bits << " bits, groups of " << group;
    EXPECT_NEAR(got.error, std::sqrt(ours / size), 1e-3 * got.nearest);
    EXPECT_NEAR(got.nearest, std::sqrt(theirs / size), 1e-3 * got.nearest);
  }
}

TEST(Rounding, SameBitsForAnyThreadCount) {
  const int before = thread_count();
  std::string first;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    Numbers numbers;
    const Tensor x = related_inputs(500, 256, numbers), w = random_matrix(70, 256, numbers);
    Moments moments(256);
    moments.add(x);
    const QuantizedMatrix m = rounded_for(w, 4, 64, moments).matrix;
    std::string bytes(static_cast<const char*>(m.codes.raw()), m.codes.bytes());
    bytes.append(static_cast<const char*>(m.scales.raw()), m.scales.bytes());
    if (threads == 1) first = bytes;
    EXPECT_EQ(first, bytes) << threads;
  }
  set_thread_count(before);
}

TEST(Rounding, InputsThatSayNothingChangeNothing) {
  Numbers numbers;
  const Tensor w = random_matrix(3, 32, numbers);
  Moments moments(32);
  moments.add(zeros({10, 32}));
  const RoundedMatrix got = rounded_for(w, 4, 16, moments);
  EXPECT_EQ(got.error, 0);
  EXPECT_EQ(to_host<uint8_t>(got.matrix.codes), to_host<uint8_t>(quantized(w, 4, 16).codes));
}

// Sentences of a small grammar: something to learn, and no end of new text.
std::string sentences(uint64_t seed, int count) {
  constexpr const char* kWho[] = {"the cat", "a dog", "my bird", "one fish", "the old man"};
  constexpr const char* kDoes[] = {"sees", "follows", "likes", "hears"};
  constexpr const char* kHow[] = {"at night", "in the house", "every day", "without a word"};
  std::string out;
  Numbers numbers{seed};
  const auto pick = [&](const auto& words) {
    return words[static_cast<size_t>((numbers.next() + 1) / 2.001 * std::ssize(words))];
  };
  for (int i = 0; i < count; ++i)
    out += text_of(pick(kWho), " ", pick(kDoes), " ", pick(kWho), " ", pick(kHow), ".\n");
  return out;
}

TEST(QuantizeWithData, ANewTextIsReadBetterThanAfterRoundingToNearest) {
  const TempDir dir{memory_place()};
  write_file(dir / "text", sentences(1234567, 800));
  write_file(dir / "new", sentences(7654321, 300));
  run_training(
      {.recipe = parse_recipe("[model]\nfamily = \"gpt2\"\nn_layer = 2\nn_embd = 64\n"
                              "n_head = 2\nn_positions = 64\n[tokenizer]\ntype = "
                              "\"char\"\n[data]\nkind = \"text\"\ntrain = \"" +
                                  dir / "text" + "\"\n[train]\nsteps = 150\nbatch = 8\nlr = 3e-3\n",
                              "small"),
       .out = dir / "run",
       .quiet = true});
  const auto loss = [&](const std::string& directory) {
    EvalOptions c;
    c.directory = directory, c.data = dir / "new";
    return loss_of(evaluate(c));
  };
  quantize({.directory = dir / "run", .out = dir / "nearest", .type = "q4"});
  const QuantizeReport report =
      quantize({.directory = dir / "run", .out = dir / "fed", .type = "q4", .data = dir / "text"});
  const double exact = loss(dir / "run"), nearest = loss(dir / "nearest"), fed = loss(dir / "fed");
  EXPECT_LT(fed - exact, 0.7 * (nearest - exact)) << exact << " " << nearest << " " << fed;
  EXPECT_FALSE(report.wide.kept);  // both have the same size
  int known = 0;
  for (const QuantizedLayer& layer : report.layers) {
    if (!layer.output) continue;
    EXPECT_LE(*layer.output, *layer.nearest) << layer.name;
    ++known;
  }
  EXPECT_EQ(known, 8);  // of two blocks: all but the tables
  EXPECT_EQ(list_directory(dir / "fed"), list_directory(dir / "nearest"));
  const std::string json = to_json(report).dump();
  EXPECT_NE(json.find("\"output_error_nearest\""), std::string::npos);
}

// Whatever the model reads: every kind of data that losses are measured on.
TEST(QuantizeWithData, LayersOfEveryKindOfModelAreRoundedByWhatTheyRead) {
  const test::RecipeFiles files;
  const std::map<std::string, std::string> data = {
      {"text", files.file("text", 2)},     {"masked", files.file("text", 2)},
      {"tags", files.file("tags", 1)},     {"pairs", files.file("pairs", 2)},
      {"images", files.file("images", 2)}, {"masked-lines", files.file("text", 2)}};
  int seen = 0;
  for (const test::RecipeJob& job : test::recipe_jobs(files)) {
    if (!data.contains(job.kind)) continue;
    const TempDir dir{memory_place()};
    run_training(
        {.recipe = parse_recipe(test::toml(job.keys), "small"), .out = dir / "run", .quiet = true});
    const QuantizeReport report = quantize(
        {.directory = dir / "run", .out = dir / "out", .type = "q4", .data = data.at(job.kind)});
    EXPECT_TRUE(report.loss_after && std::isfinite(*report.loss_after)) << job.name;
    int known = 0;
    for (const QuantizedLayer& layer : report.layers) known += layer.output ? 1 : 0;
    EXPECT_GE(known, 4) << job.name << " " << job.kind;
    ++seen;
  }
  EXPECT_GE(seen, 6);
}

TEST(WidePays, WhenTheDistanceFallsByTwiceTheGrowth) {
  EXPECT_TRUE(wide_pays(0.1, 0.07, 1000, 1100));
  EXPECT_FALSE(wide_pays(0.1, 0.085, 1000, 1100));
  EXPECT_FALSE(wide_pays(0.1, 0.2, 1000, 1100));
}

}  // namespace
}  // namespace jogak
