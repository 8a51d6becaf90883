#include <algorithm>
#include <cmath>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"steps",
     TopicInput::Kind::vector,
     {"학습률을 볼 스텝들", "the steps to look at"},
     "1,n",
     1,
     1e6},
    {"d",
     TopicInput::Kind::integer,
     {"모델의 너비 d_model", "the width of the model, d_model"},
     {},
     1,
     16384},
    {"warmup",
     TopicInput::Kind::integer,
     {"학습률이 오르는 스텝 수", "how many steps the rate rises"},
     {},
     1,
     100000},
};

Parts step_names(const Matrix& steps) {
  Parts out;
  for (const double x : steps.values) out.push_back("s=" + exact_text(x));
  return out;
}

void add_rate(Sheet& s, const Parts& names) {
  s.table("falling", "s^(-0.5)", "steps ** -0.5", {{}, names, 10});
  s.table("rising", "s·w^(-1.5)", "steps * warmup ** -1.5", {{}, names, 10});
  s.table("lower", "min", "minimum(falling, rising)", {{}, names, 10});
  s.table("rate", "lr(s)", "width ** -0.5 * lower", {{}, names, 13});
}

void add_peak(Sheet& s, const Parts& names) {
  s.table("peak", "lr(w)", "width ** -0.5 * warmup ** -0.5", {.digits = 13});
  s.table("share", "lr(s) / lr(w)", "rate / peak", {{}, names});
}

void show_given(Sheet& s, const Parts& names) {
  s.show("steps", "s", {{}, names});
  s.show("width", "d");
  s.show("warmup", "w");
}

void write_story(Sheet& s, const Parts& names) {
  s.step({"engine",
          {"찬 엔진", "A cold engine"},
          {"겨울 아침에 시동을 걸자마자 가속 페달을 끝까지 밟지는 않습니다. 처음의 모델은 아무것도 "
           "모르고 Adam의 평균들도 아직 믿을 만하지 않습니다. 그래서 학습률을 0 가까이에서 천천히 "
           "올립니다.",
           "On a winter morning nobody floors the pedal right after starting. At first the model "
           "knows nothing and Adam's averages cannot be trusted yet. So the learning rate rises "
           "slowly from near 0."}});
  show_given(s, names);
  s.step(
      {"fall",
       {"꼭대기 다음은 내리막", "After the peak it falls"},
       {"웜업이 끝난 스텝이 꼭대기입니다. 그 뒤로는 머무르지 않고 스텝 수의 제곱근에 반비례해 "
        "내려갑니다. 두 배 가면 꼭대기의 0.707배입니다.",
        "The last step of warming up is the peak. From there the rate does not stay: it falls with "
        "the square root of the step. Twice as far, it is 0.707 of the peak."}});
  s.let("falling", "steps ** -0.5");
  s.let("rising", "steps * warmup ** -1.5");
  s.table("rate", "lr(s)", "width ** -0.5 * minimum(falling, rising)", {{}, names, 13});
  add_peak(s, names);
}

void write_student(Sheet& s, const Parts& names) {
  s.step({"input",
          {"스텝, 너비, 웜업", "Steps, width, warm-up"},
          {"2017년 논문의 학습률은 스텝 s, 모델의 너비 d, 웜업 스텝 수 w로 정해집니다.",
           "The rate of the 2017 paper follows from the step s, the width d and the warm-up w."}});
  show_given(s, names);
  s.step(
      {"curves",
       {"내려가는 곡선과 올라가는 직선", "A falling curve and a rising line"},
       {"둘 중 작은 쪽을 고릅니다. 웜업 동안은 직선이, 그 뒤로는 곡선이 작습니다. 둘은 s = w에서 "
        "만납니다.",
        "The smaller of the two counts: the line while warming up, the curve afterwards. They meet "
        "at s = w."},
       "lr(s) = d^(-0.5)·min(s^(-0.5), s·w^(-1.5))"});
  add_rate(s, names);
  s.step({"peak",
          {"꼭대기", "The peak"},
          {"s = w에서 가장 높고, 거기서부터 바로 내려갑니다. s = 2w에서는 꼭대기의 1/√2, 곧 "
           "0.707입니다.",
           "It is highest at s = w and falls from there on: at s = 2w it is 1/√2 = 0.707 of the "
           "peak."},
          "lr(w) = d^(-0.5)·w^(-0.5),  lr(2w) / lr(w) = 1/√2"});
  add_peak(s, names);
}

void write_math(Sheet& s, const Parts& names) {
  s.step(
      {"definition",
       {"정의", "Definition"},
       {"s·w^(-1.5)와 s^(-0.5)는 s = w에서 만나고 왼쪽 기울기는 양수, 오른쪽 기울기는 음수이므로 s "
        "= w가 유일한 최댓점입니다.",
        "s·w^(-1.5) and s^(-0.5) meet at s = w; with a positive slope on the left and a negative "
        "one on the right, s = w is the only maximum."},
       "lr(s) = d^(-1/2)·min(s^(-1/2), s·w^(-3/2)),  lr'(s) = -½·d^(-1/2)·s^(-3/2)  (s > w)"});
  show_given(s, names);
  add_rate(s, names);
  add_peak(s, names);
}

void write(Sheet& s) {
  const Matrix& steps = s.input("steps", {{1, 1000, 4000, 8000, 100000}});
  const int64_t d = s.integer("d", 512), w = s.integer("warmup", 4000);
  s.constant("width", Matrix::row_of({static_cast<double>(d)}));
  s.constant("warmup", Matrix::row_of({static_cast<double>(w)}));
  const Parts names = step_names(steps);
  s.tell(write_story, write_student, write_math, names);
  constexpr int64_t kPoints = 101;
  Matrix curve(1, kPoints);
  Parts places;
  for (int64_t i = 0; i < kPoints; ++i) {
    const double step = std::max(1.0, static_cast<double>(w) * static_cast<double>(i) / 25);
    const double whole = static_cast<double>(w);
    curve.at(0, i) = std::min(std::pow(step, -0.5), step * std::pow(whole, -1.5)) /
                     std::sqrt(static_cast<double>(d));
    places.push_back(exact_text(std::round(step)));
  }
  s.chart(Picture::Kind::lines, "rate", curve,
          {{"웜업 뒤에 내려가는 학습률", "The rate warms up, then falls"},
           {"스텝", "step"},
           {"학습률", "learning rate"}},
          {"lr"}, places);
}

}  // namespace

const Topic& warmup_topic() {
  static constexpr Topic topic{.name = "warmup",
                               .title = {"학습률 웜업", "Warm-up of the learning rate"},
                               .inputs = kInputs,
                               .write = write};
  return topic;
}

}  // namespace jogak
