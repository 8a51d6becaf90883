#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"g",
     TopicInput::Kind::vector,
     {"모든 매개변수의 기울기", "gradient of all parameters"},
     "1,n"},
    {"threshold",
     TopicInput::Kind::number,
     {"기울기 길이의 한계", "the longest a gradient may be"},
     "1,1",
     0.001,
     1000},
};

void add_clip(Sheet& s, const Parts& names) {
  s.table("norm", "‖g‖", "sqrt(sum(g * g))");
  if (plain_text(s.of("norm").at(0, 0)) == "0") return;  // nothing to clip
  s.table("factor", "min(1, c / ‖g‖)", "minimum(1, threshold / norm)");
  s.table("clipped", "ĝ", "g * factor", {{}, names});
  s.table("clipped_norm", "‖ĝ‖", "sqrt(sum(clipped * clipped))");
}

void write_story(Sheet& s, const Parts& names) {
  s.step({"leash",
          {"목줄", "A leash"},
          {"학습은 내리막을 한 발씩 내려가는 일입니다. 가끔 절벽을 만나면 기울기가 터무니없이 "
           "커져서 "
           "단번에 산 밖으로 튕겨 나갑니다. 목줄을 채우면 방향은 그대로 두고 스텝의 길이만 "
           "줄입니다.",
           "Learning walks downhill step by step. Now and then it meets a cliff, the gradient is "
           "enormous, and one step would leap off the mountain. A leash keeps the direction and "
           "shortens the step."}});
  s.show("g", "g", {{}, names});
  s.show("threshold", "c");
  add_clip(s, names);
  s.step({"small",
          {"작은 스텝은 그대로", "Small steps stay"},
          {"한계보다 짧은 기울기는 건드리지 않습니다.",
           "A gradient shorter than the limit is left alone."}});
  s.show("small", "g");
  s.table("small_factor", "min(1, c / ‖g‖)", "minimum(1, threshold / sqrt(sum(small * small)))");
}

void write_student(Sheet& s, const Parts& names) {
  s.step({"input",
          {"기울기와 한계", "The gradient and its limit"},
          {"모든 매개변수의 기울기를 한 줄로 이어 놓은 벡터로 봅니다.",
           "The gradients of all parameters are taken as one long vector."}});
  s.show("g", "g", {{}, names});
  s.show("threshold", "c");
  s.step(
      {"clip",
       {"길이를 재고 줄이기", "Measure, then scale"},
       {"길이가 c를 넘으면 c / ‖g‖를 곱합니다. 모든 성분에 같은 수를 곱하므로 방향은 그대로입니다.",
        "If the length exceeds c, multiply by c / ‖g‖. All entries get the same factor, so the "
        "direction stays."},
       "ĝ = g·min(1, c / ‖g‖),  ‖g‖ = √(Σ_i g_i²)"});
  add_clip(s, names);
  s.step({"small",
          {"짧은 기울기", "A short gradient"},
          {"이미 짧으면 min이 1이 되어 아무 일도 없습니다.",
           "If it is short already, the minimum is 1 and nothing happens."},
          "c / ‖g‖ ≥ 1  ⇒  ĝ = g"});
  s.show("small", "g");
  s.table("small_norm", "‖g‖", "sqrt(sum(small * small))");
  s.table("small_factor", "min(1, c / ‖g‖)", "minimum(1, threshold / small_norm)");
  s.step({"by_value",
          {"성분마다 자르면", "Cutting each entry instead"},
          {"성분마다 따로 c에서 자르면 방향이 틀어집니다. 앞의 g와의 코사인이 1보다 작아집니다.",
           "Cutting every entry at c by itself bends the direction: the cosine with g falls below "
           "1."},
          "min(|g_i|, c)·sign(g_i)"});
  s.table("cut", "min(g, c)", "-minimum(-minimum(g, threshold), threshold)",
          {.columns = names, .lines = 0});
  if (s.lesson().steps[1].tables.size() < 4) return;
  s.table("cosine", s.in({"cos(g, 자른 g)", "cos(g, cut)"}),
          "sum(g * cut) / (norm * sqrt(sum(cut * cut)))");
}

void write_math(Sheet& s, const Parts& names) {
  s.step(
      {"projection",
       {"공으로의 사영", "Projection onto a ball"},
       {"전역 노름 클리핑은 반지름 c인 공으로의 유클리드 사영입니다. 방향 g/‖g‖을 지키고 스텝의 "
        "길이를 η·c로 묶습니다. 성분별 클리핑은 정육면체로의 사영이라 방향을 지키지 않습니다.",
        "Clipping by global norm is the Euclidean projection onto the ball of radius c: it keeps "
        "g/‖g‖ and bounds the step by η·c. Clipping by value projects onto a cube and does not "
        "keep the direction."},
       "Π_c(g) = argmin_{‖h‖ ≤ c} ‖g - h‖ = g·min(1, c/‖g‖)"});
  s.show("g", "g", {{}, names});
  s.show("threshold", "c");
  add_clip(s, names);
}

void write(Sheet& s) {
  const Matrix& g = s.input("g", {{10, 5, -10}});
  s.input("threshold", {{1}});
  s.constant("small", {{0.3, 0.4}});
  const Parts names = labels("g", g.columns);
  s.tell(write_story, write_student, write_math, names);
  Matrix bars(2, g.columns);
  for (int64_t j = 0; j < g.columns; ++j) {
    bars.at(0, j) = s.of("g").at(0, j);
    const bool zero = plain_text(s.of("norm").at(0, 0)) == "0";
    bars.at(1, j) = zero ? 0 : s.of("clipped").at(0, j);
  }
  s.chart(Picture::Kind::bars, "clipped", bars,
          {{"클리핑 전과 후", "Before and after clipping"}, {"성분", "entry"}, {"값", "value"}},
          {s.in({"전", "before"}), s.in({"후", "after"})}, names);
}

}  // namespace

const Topic& clipping_topic() {
  static constexpr Topic topic{
      .name = "clipping",
      .title = {"기울기 클리핑: 스텝에 한계 두기", "Gradient clipping: a limit to each step"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
