#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"a", TopicInput::Kind::vector, {"벡터", "a vector"}, "1,d"},
    {"b", TopicInput::Kind::vector, {"a와 길이가 같은 벡터", "a vector as long as a"}, "1,d"},
};

void add_cosine(Sheet& s) {
  s.table("length_a", "|a|", "sqrt(sum(a * a))");
  s.table("length_b", "|b|", "sqrt(sum(b * b))");
  if (plain_text(s.of("length_a").at(0, 0)) == "0" || plain_text(s.of("length_b").at(0, 0)) == "0")
    return;  // a vector without length has no direction
  s.table("cosine", "cos", "dot / (length_a * length_b)");
}

void write_story(Sheet& s) {
  s.step({"taste",
          {"입맛 견주기", "Comparing tastes"},
          {"두 사람이 영화를 볼 때 액션, 사랑 이야기, 웃음을 얼마나 좋아하는지 점수를 매겼습니다. "
           "항목마다 두 점수를 곱하면, 둘 다 좋아하는 항목에서 큰 수가 나옵니다.",
           "Two people say how much they like action, romance and laughter in a film. Multiply "
           "their scores item by item: where both like something, the product is large."}});
  s.show("a", "a");
  s.show("b", "b");
  s.table("products", "a∘b", "a * b");
  s.step({"add",
          {"더하면 내적", "Their sum is the dot product"},
          {"곱을 모두 더한 것이 내적입니다. 입맛이 같은 쪽을 보면 크고, 서로 상관없으면 0에 "
           "가깝고, 반대면 음수입니다.",
           "The sum of the products is the dot product: large when both point the same way, near "
           "0 when they have nothing to do with each other, negative when they disagree."}});
  s.table("dot", "a·b", "a @ b.T");
  s.step({"length",
          {"큰 수가 곧 닮음은 아닙니다", "Large does not yet mean alike"},
          {"점수를 후하게 주는 사람은 누구와 견주어도 내적이 큽니다. 그래서 두 벡터의 길이로 "
           "나눕니다. 그것이 코사인이고, 언제나 -1과 1 사이입니다.",
           "Someone who hands out high scores gets a large dot product with everybody. Dividing by "
           "both lengths takes that away: the cosine, always between -1 and 1."}});
  add_cosine(s);
}

void write_student(Sheet& s) {
  const std::string d = std::to_string(s.of("a").columns);
  s.step({"inputs",
          {"두 벡터", "Two vectors"},
          {"길이가 같은 두 벡터입니다. 모델 안에서는 단어 하나가 이런 벡터 하나입니다.",
           "Two vectors of the same length. Inside a model every word is such a vector."}});
  s.shape("a [" + d + "]  b [" + d + "]");
  s.show("a", "a");
  s.show("b", "b");
  s.step({"products",
          {"자리마다 곱하기", "Multiply place by place"},
          {"같은 자리의 수끼리 곱합니다.", "Multiply the numbers that stand in the same place."},
          "p_i = a_i·b_i"});
  s.shape("[" + d + "]∘[" + d + "] -> [" + d + "]");
  s.table("products", "a∘b", "a * b");
  s.step({"dot",
          {"모두 더하기", "Add them up"},
          {"곱을 모두 더하면 수 하나가 됩니다. 이것이 내적이고, 어텐션의 점수가 바로 이것입니다.",
           "The sum is one number, the dot product. The scores of attention are just this."},
          "a·b = Σ_i a_i·b_i"});
  s.shape("[" + d + "]·[" + d + "] -> []");
  s.table("dot", "a·b", "a @ b.T");
  s.step({"cosine",
          {"길이를 뺀 닮음: 코사인", "Likeness without length: the cosine"},
          {"내적은 벡터가 길기만 해도 커집니다. 닮은 정도를 보려면 두 길이로 나누어야 합니다. "
           "코사인이 1이면 같은 방향, 0이면 직각, -1이면 반대 방향입니다.",
           "The dot product also grows when a vector is merely long. To see likeness, divide by "
           "both lengths: a cosine of 1 is the same direction, 0 a right angle, -1 the opposite."},
          "cos = a·b / (|a|·|b|),  |a| = √(Σ_i a_i²)"});
  add_cosine(s);
  s.step({"longer",
          {"두 배로 늘이면", "Twice as long"},
          {"a를 두 배로 늘이면 내적도 두 배가 되지만 방향은 그대로이니 코사인은 변하지 않습니다. "
           "내적이 크다고 더 닮은 것이 아니라는 뜻입니다.",
           "Make a twice as long and the dot product doubles, while the direction and with it the "
           "cosine stay. A larger dot product means more alike only at equal length."},
          "(2a)·b = 2·(a·b)"});
  s.table("twice", "2a", "2 * a");
  s.table("dot_twice", "(2a)·b", "twice @ b.T");
  if (s.lesson().steps[3].tables.size() < 3) return;
  s.table("cosine_twice", "cos", "dot_twice / (2 * length_a * length_b)");
}

void write_math(Sheet& s) {
  s.step({"definition",
          {"정의", "Definition"},
          {"내적은 쌍선형이고 대칭입니다. 한쪽을 고정하면 다른 쪽에 대해 선형이라는 점이 "
           "어텐션 점수의 기울기를 간단하게 만듭니다.",
           "The dot product is bilinear and symmetric. Being linear in either side, it keeps the "
           "gradient of attention scores simple."},
          "⟨a, b⟩ = aᵀb = Σ_i a_i·b_i,  ∂⟨a, b⟩/∂a = b"});
  s.show("a", "a");
  s.show("b", "b");
  s.table("dot", "⟨a, b⟩", "a @ b.T");
  s.step({"cauchy",
          {"코시-슈바르츠 부등식", "The Cauchy-Schwarz inequality"},
          {"내적의 절댓값은 두 길이의 곱을 넘지 못합니다. 그래서 코사인은 [-1, 1] 안에 있고, "
           "각도로 읽을 수 있습니다.",
           "The dot product never exceeds the product of the lengths, so the cosine lies in "
           "[-1, 1] and can be read as an angle."},
          "|⟨a, b⟩| ≤ |a|·|b|,  cos θ = ⟨a, b⟩ / (|a|·|b|)"});
  add_cosine(s);
  s.step(
      {"distance",
       {"거리와 내적", "Distance and dot product"},
       {"길이가 정해져 있으면 내적이 클수록 거리가 가깝습니다. 길이가 제각각이면 그렇지 않습니다.",
        "At fixed lengths a larger dot product means a smaller distance; at different lengths "
        "it does not."},
       "|a - b|² = |a|² + |b|² - 2·⟨a, b⟩"});
  s.table("distance_squared", "|a - b|²", "sum((a - b) * (a - b))");
  s.table("from_dot", "|a|² + |b|² - 2·⟨a, b⟩", "sum(a * a) + sum(b * b) - 2 * dot");
}

void write(Sheet& s) {
  s.input("a", {{1, 2, 3}});
  s.input("b", {{4, 5, 6}});
  s.tell(write_story, write_student, write_math);
  const int64_t d = s.of("a").columns;
  s.chart(Picture::Kind::bars, "products",
          evaluate(parse_rule("a * b"), {{"a", s.of("a")}, {"b", s.of("b")}}),
          {{"자리마다의 곱", "Products place by place"}, {"자리", "place"}, {"곱", "product"}},
          {"a∘b"}, labels("", d));
}

}  // namespace

const Topic& dot_topic() {
  static constexpr Topic topic{
      .name = "dot",
      .title = {"내적: 두 벡터는 얼마나 닮았나", "Dot product: how alike two vectors are"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
