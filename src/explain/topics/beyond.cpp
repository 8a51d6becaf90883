#include <cmath>

#include "explain/arithmetic.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"trained", TopicInput::Kind::integer, {"배운 길이", "the length learned from"}, {}, 8, 128},
};

constexpr int64_t kWidth = 8;
constexpr double kRidge = 0.001;

std::vector<double> counted(int64_t count) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<double>(i));
  return out;
}

// Solves (XᵀX + ridge·I) w = Xᵀy by elimination with pivots.
Matrix fitted(const Matrix& x, const Matrix& y) {
  Matrix a = plain::product(transposed(x), x);
  Matrix b = plain::product(transposed(x), y);
  const int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i) a.at(i, i) += kRidge;
  for (int64_t c = 0; c < n; ++c) {
    int64_t pivot = c;
    for (int64_t i = c; i < n; ++i)
      if (std::abs(a.at(i, c)) > std::abs(a.at(pivot, c))) pivot = i;
    for (int64_t j = 0; j < n; ++j) std::swap(a.at(c, j), a.at(pivot, j));
    std::swap(b.at(c, 0), b.at(pivot, 0));
    for (int64_t i = 0; i < n; ++i) {
      if (i == c) continue;
      const double factor = a.at(i, c) / a.at(c, c);
      for (int64_t j = c; j < n; ++j) a.at(i, j) -= factor * a.at(c, j);
      b.at(i, 0) -= factor * b.at(c, 0);
    }
  }
  for (int64_t i = 0; i < n; ++i) b.at(i, 0) /= a.at(i, i);
  return b;
}

// The target: how far along the trained length a position is, 0 to 1.
Matrix shares(int64_t count, int64_t trained) {
  Matrix out(count, 1);
  for (int64_t i = 0; i < count; ++i)
    out.at(i, 0) = static_cast<double>(i) / static_cast<double>(trained);
  return out;
}

struct Fit {
  int64_t trained;
  Matrix w, places, found;  // found: for every position up to twice the trained length
};

Fit fit(int64_t trained) {
  Fit out{trained, {}, {}, {}};
  out.w = fitted(plain::position_encoding(counted(trained), kWidth), shares(trained, trained));
  out.found = plain::product(plain::position_encoding(counted(2 * trained), kWidth), out.w);
  std::vector<double> places;
  for (const int64_t eighths : {0, 2, 4, 6, 8, 10, 12, 14})
    places.push_back(static_cast<double>(trained * eighths / 8));
  out.places = transposed(Matrix::row_of(places));
  return out;
}

double mean_error(const Fit& f, int64_t from, int64_t to) {
  double total = 0;
  for (int64_t p = from; p < to; ++p)
    total += std::abs(f.found.at(p, 0) - static_cast<double>(p) / static_cast<double>(f.trained));
  return total / static_cast<double>(to - from);
}

void add_fit(Sheet& s, const Fit& f) {
  s.coded(
      "w", "w", f.w,
      text_of(
          "def encode(p):\n"
          "    angles = np.asarray(p, dtype=float)[:, None] / 10000 ** (np.arange(0, 8, 2) / 8)\n"
          "    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(-1, 8)\n\n\n"
          "trained = ",
          f.trained,
          "\nx, y = encode(range(trained)), np.arange(trained)[:, None] / trained\n"
          "w = np.linalg.solve(x.T @ x + 0.001 * np.eye(8), x.T @ y)"),
      text_of("def encode(p):\n"
              "    angles = torch.as_tensor(list(p)).double()[:, None] / 10000 ** (torch.arange(0, "
              "8, 2) / 8)\n"
              "    return torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).reshape(-1, "
              "8)\n\n\n"
              "trained = ",
              f.trained,
              "\nx, y = encode(range(trained)), torch.arange(trained)[:, None] / trained\n"
              "w = torch.linalg.solve(x.T @ x + 0.001 * torch.eye(8), x.T @ y)"));
}

void add_places(Sheet& s, const Fit& f) {
  Parts names;
  for (const double p : f.places.values) names.push_back("p = " + exact_text(p));
  s.show("place", "p", {names});
  s.show("divisors", "10000^(2i/8)");
  s.show("even", "[2i]");
  s.table("pe", "PE", "where(even, sin(place / divisors), cos(place / divisors))",
          {.rows = names, .lines = 0});
  s.table("found", s.in({"모델의 답", "what the model says"}), "pe @ w",
          {.rows = names, .lines = 1});
  s.table("wanted", s.in({"정답", "the truth"}), text_of("place / ", f.trained),
          {.rows = names, .lines = 1});
  s.table("error", s.in({"틀린 정도", "off by"}), "abs(found - wanted)",
          {.rows = names, .lines = 1});
}

void add_errors(Sheet& s, const Fit& f) {
  const Matrix errors =
      Matrix::row_of({mean_error(f, 0, f.trained), mean_error(f, f.trained, 2 * f.trained)});
  s.coded("errors", s.in({"평균 오차", "mean error"}), errors,
          "whole = np.arange(2 * trained)\n"
          "off = np.abs(encode(whole) @ w - whole[:, None] / trained)\n"
          "errors = np.array([off[:trained].mean(), off[trained:].mean()])",
          "whole = torch.arange(2 * trained)\n"
          "off = torch.abs(encode(whole) @ w - whole[:, None] / trained)\n"
          "errors = torch.stack([off[:trained].mean(), off[trained:].mean()])",
          {.columns = {text_of("0-", f.trained - 1), text_of(f.trained, "-", 2 * f.trained - 1)}});
}

void write_story(Sheet& s, const Fit& f) {
  const Parts parts = {std::to_string(f.trained), std::to_string(2 * f.trained)};
  s.step(
      {"map",
       {"지도의 가장자리", "The edge of the map"},
       {"사인은 어디까지나 이어지므로 위치 {1}의 무늬도 얼마든지 만들 수 있습니다. 그러나 위치 "
        "{0}까지만 "
        "본 모델에게 그 너머는 가 본 적 없는 땅입니다. 무늬가 있다고 읽을 줄 아는 것은 아닙니다.",
        "Sines go on for ever, so a pattern for position {1} can be made at once. But to a model "
        "that has seen positions up to {0}, what lies beyond is land it never walked. That a "
        "pattern exists does not mean it can be read."}},
      parts);
  add_fit(s, f);
  s.step(
      {"test",
       {"가 본 곳과 못 가 본 곳", "Known and unknown ground"},
       {"무늬를 보고 위치를 알아맞히게 가르쳤습니다. 배운 곳에서는 거의 맞고, 그 너머에서는 크게 "
        "틀립니다.",
        "A small model was taught to tell the position from its pattern. Where it learned it is "
        "nearly right; beyond, it is far off."}});
  add_errors(s, f);
  add_places(s, f);
}

void write_student(Sheet& s, const Fit& f) {
  const Parts parts = {std::to_string(f.trained), std::to_string(2 * f.trained)};
  s.step(
      {"fit",
       {"앞쪽 위치로 배우기", "Learn from the first positions"},
       {"가장 작은 모델입니다. PE(p)(d = 8)에 w를 곱해 위치를 0에서 1 사이의 수 p / {0}{으로} "
        "알아맞힙니다. "
        "위치 0부터 {0} 앞까지로 최소제곱(아주 작은 벌점 0.001)을 풀어 w를 얻습니다.",
        "The smallest of models: PE(p) (d = 8) times w shall tell the position as p / {0}. Least "
        "squares over the positions below {0} (with a tiny penalty of 0.001) gives w."},
       "w = (XᵀX + 0.001·I)⁻¹·Xᵀy,  X = PE(0 … L-1),  y = p / L"},
      parts);
  s.shape(text_of("[", f.trained, ",8] -> [8,1]"));
  add_fit(s, f);
  s.step(
      {"test",
       {"두 배 길이에서 시험", "Test at twice the length"},
       {"PE는 {0} 너머에서도 정의됩니다. 그러나 모델의 답은 배운 곳에서만 맞고 그 너머에서는 크게 "
        "벗어납니다. 느린 차원이 처음 보는 값에 들어서기 때문입니다.",
        "PE is defined beyond {0} too. Yet the answers are right only where the model learned; "
        "beyond, they go astray, because slow dimensions take values never seen before."},
       "PE(p)·w ≈ p / L"},
      parts);
  add_places(s, f);
  s.step({"errors",
          {"평균 오차", "Mean error"},
          {"배운 절반과 배우지 않은 절반을 견줍니다.",
           "The half it learned against the half it did not."},
          "(1/L)·Σ_p |PE(p)·w - p / L|"});
  add_errors(s, f);
}

void write_math(Sheet& s, const Fit& f) {
  s.step(
      {"domain",
       {"정의와 일반화", "Defined is not generalising"},
       {"학습은 PE의 곡선 가운데 [0, L) 조각 위에서만 함수를 정합니다. PE(p + k) = PE(p)·R(k)라는 "
        "군 구조는 "
        "있지만, 배운 w가 그 구조를 쓴다는 보장은 없습니다. 파장이 L보다 긴 짝은 p ≥ L에서 처음 "
        "보는 각도에 "
        "들어갑니다.",
        "Training fixes a function on the piece [0, L) of the curve PE alone. The group structure "
        "PE(p + k) = PE(p)·R(k) is there, but nothing makes w use it. Pairs with a wavelength "
        "above "
        "L enter angles never seen at p ≥ L."},
       "w = argmin_w Σ_{p<L} (PE(p)·w - p/L)² + 0.001·‖w‖²"});
  add_fit(s, f);
  add_places(s, f);
  s.step({"errors",
          {"안과 밖의 오차", "Errors inside and outside"},
          {"같은 w를 L까지와 2L까지에서 잽니다.", "The same w measured below L and up to 2L."},
          "(1/L)·Σ_p |PE(p)·w - p/L|"});
  add_errors(s, f);
}

void write(Sheet& s) {
  const Fit f = fit(s.integer("trained", 32));
  s.constant("place", f.places);
  s.constant("divisors", {{1, 1, 10, 10, 100, 100, 1000, 1000}});
  s.constant("even", {{1, 0, 1, 0, 1, 0, 1, 0}});
  s.tell(write_story, write_student, write_math, f);
  Matrix curves(2, 2 * f.trained);
  for (int64_t p = 0; p < 2 * f.trained; ++p) {
    curves.at(0, p) = static_cast<double>(p) / static_cast<double>(f.trained);
    curves.at(1, p) = f.found.at(p, 0);
  }
  s.chart(Picture::Kind::lines, "beyond", curves,
          {{"배운 길이의 안과 밖", "Inside and beyond the trained length"},
           {"위치", "position"},
           {"답", "answer"}},
          {s.in({"정답", "the truth"}), s.in({"모델", "the model"})}, labels("", 2 * f.trained, 0));
}

}  // namespace

const Topic& beyond_topic() {
  static constexpr Topic topic{.name = "beyond",
                               .title = {"배운 길이 너머", "Beyond the trained length"},
                               .inputs = kInputs,
                               .write = write};
  return topic;
}

}  // namespace jogak
