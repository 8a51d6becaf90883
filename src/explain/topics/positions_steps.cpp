#include "explain/topics/positions_steps.h"

#include <cmath>

namespace jogak {
namespace {

constexpr int kDigits = 7;  // PE(1, 2) of d = 4 is 0.0099998
const Matrix kDistances = {{0, 1, 2, 8, 64}};
constexpr int kFar = 100;

Parts pairs_by_hand(const PositionSizes& n) { return labels("i = ", n.shown / 2, 0); }
Parts rows_by_hand(const PositionSizes& n) { return labels("p = ", n.rows, 0); }

std::string divisors_rule(const PositionSizes& n) {
  return text_of("10000 ** (2 * count(", n.shown / 2, ") / ", n.d, ")");
}
std::string angles_rule(const PositionSizes& n) {
  return text_of("count(", n.rows, ").T / divisors");
}

void add_encoding(Sheet& s, const PositionSizes& n) {
  s.let("sine", "sin(angles)");
  s.let("cosine", "cos(angles)");
  s.table("pe", text_of("PE, d = ", n.d), "interleave(sine, cosine)",
          {rows_by_hand(n), labels("", n.shown, 0), kDigits, s.math() ? 0 : kLinesByHand, 1});
}

void add_angles(Sheet& s, const PositionSizes& n) {
  s.table("angles", "p / 10000^(2i/d)", angles_rule(n),
          {rows_by_hand(n), pairs_by_hand(n), kDigits, s.math() ? 0 : 2, 1});
}

void add_divisors(Sheet& s, const PositionSizes& n) {
  s.table("divisors", "10000^(2i/d)", divisors_rule(n),
          {.columns = pairs_by_hand(n), .lines = s.math() ? 0 : kLinesByHand});
}

// The encoding of `position` (several in a column) as one row each; the order of the dimensions
// does not matter to a dot product.
std::string whole(const std::string& position) {
  return text_of("concat(sin((", position, ") / wide), cos((", position, ") / wide))");
}

void add_dots(Sheet& s, const PositionSizes& n) {
  s.constant("distances", kDistances);
  Parts columns;
  for (const double k : kDistances.values) columns.push_back(text_of("k = ", k));
  s.show("distances", "k");
  s.let("wide", text_of("10000 ** (2 * count(", n.wide / 2, ") / ", n.wide, ")"));
  s.let("near", whole("0") + " @ " + whole("distances.T") + ".T");
  s.let("far", whole(std::to_string(kFar)) + " @ " + whole(text_of(kFar, " + distances.T")) + ".T");
  s.table("dots", text_of("PE(p)·PE(p+k), d = ", n.wide), "stack(near, far)",
          {{"p = 0", text_of("p = ", kFar)}, columns, 3, 0});
}

void add_dots_step(Sheet& s, const PositionSizes& n) {
  s.step({"dots",
          {"거리만 남는다", "Only the distance remains"},
          {"d = {0}에서 거리 k만큼 떨어진 두 위치의 내적입니다. 어느 위치 p에서 재어도 같습니다. "
           "sin·sin + cos·cos = cos(차이)이기 때문입니다.",
           "For d = {0}, the dot product of two positions at distance k. It is the same at every "
           "p, because sin·sin + cos·cos is the cosine of the difference."},
          "PE(p)·PE(p+k) = Σ_i cos(k / divisor_i),  i = 0 … d/2 - 1"},
         {std::to_string(n.wide)});
  s.shape(text_of("[", n.wide, "]·[", n.wide, "] -> []"));
  add_dots(s, n);
}

void add_wavelengths(Sheet& s, const PositionSizes& n) {
  s.step({"wavelengths",
          {"파장", "Wavelengths"},
          {"d = {0}일 때 한 바퀴 도는 데 걸리는 위치의 수입니다. i가 작으면 짧고(빠르고), i가 크면 "
           "깁니다(느립니다).",
           "For d = {0}, how many positions one full turn takes: short (fast) for low i, long "
           "(slow) for high i."},
          "wavelength_i = 2π·10000^(2i/d)"},
         {std::to_string(n.wide)});
  s.shape(text_of("[", n.wide / 2, "]"));
  Matrix pairs(1, static_cast<int64_t>(n.pairs.size()));
  Parts names;
  for (size_t i = 0; i < n.pairs.size(); ++i) {
    pairs.values[i] = static_cast<double>(n.pairs[i]);
    names.push_back(text_of("i = ", n.pairs[i]));
  }
  s.constant("pairs", pairs);
  s.show("pairs", "i");
  s.let("pair_divisors", text_of("10000 ** (2 * pairs.T / ", n.wide, ")"));
  s.table(
      "waves", text_of("d = ", n.wide), "concat(pair_divisors, 2 * pi * pair_divisors)",
      {names, {s.in({"나누는 수", "divisor"}), s.in({"파장", "wavelength"})}, 4, kLinesByHand, -1});
}

void add_moves(Sheet& s, const PositionSizes& n) {
  const std::string half = std::to_string(n.length / 2);
  s.step({"apart",
          {"어느 차원이 무엇을 구별하는가", "Which dimensions tell what apart"},
          {"짝 i의 바늘 끝이 바로 옆 위치로 갈 때와 {0}칸(길이의 절반)을 갈 때 움직인 직선 "
           "거리입니다(가장 크면 2). 앞 열이 크면 그 짝은 이웃을 구별하고, 뒤 열이 크면 앞 절반과 "
           "뒤 절반을 구별합니다. 둘 다 0에 가까운 짝은 이 길이에서 거의 움직이지 않습니다.",
           "How far the tip of hand i moves, in a straight line, from one position to the next "
           "and over {0} positions (half the length); 2 is the most. Where the first column is "
           "large, the pair tells neighbours apart; where the second is, it tells the first half "
           "from the second; where both are near 0, it hardly moves over this length."},
          "move_i(k) = 2·|sin(k / (2·divisor_i))|"},
         {half});
  Parts names;
  for (const int64_t i : n.pairs) names.push_back(text_of("i = ", i));
  s.table("moves", text_of("d = ", n.wide),
          "concat(2 * abs(sin(1 / (2 * pair_divisors))), 2 * abs(sin(" + half +
              " / (2 * pair_divisors))))",
          {.rows = names,
           .columns = {s.in({"이웃", "neighbours"}),
                       filled(s.in({"{0}칸 떨어짐", "{0} apart"}), {half})}});
}

// The rotation by one position: a 2 x 2 block for each pair.
void add_rotation(Sheet& s, const PositionSizes& n) {
  Matrix rotation(n.shown, n.shown);
  for (int64_t i = 0; i < n.shown / 2; ++i) {
    const double w = s.of("omega").at(0, i);
    const int64_t a = 2 * i, b = a + 1;
    rotation.at(a, a) = rotation.at(b, b) = std::cos(w);
    rotation.at(a, b) = -std::sin(w);
    rotation.at(b, a) = std::sin(w);
  }
  const Parts columns = labels("", n.shown, 0);
  s.coded("rotation", "R(1)", rotation,
          text_of("rotation = np.zeros((", n.shown, ", ", n.shown,
                  "))\n"
                  "for i, w in enumerate(omega[0]):\n"
                  "    block = [[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]]\n"
                  "    rotation[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block"),
          "rows = [[[w.cos(), -w.sin()], [w.sin(), w.cos()]] for w in omega[0]]\n"
          "rotation = torch.block_diag(*[torch.tensor(row) for row in rows])",
          {.columns = columns, .digits = kDigits});
  s.table("rotated", "PE(1)·R(1) = PE(2)", "pe[1:2, :] @ rotation",
          {.columns = columns, .digits = kDigits, .lines = 2});
}

}  // namespace

void write_position_story(Sheet& s, const PositionSizes& n) {
  s.step(
      {"order",
       {"순서를 모르는 눈", "Eyes that know no order"},
       {"어텐션은 모든 단어를 한꺼번에 봅니다. 그래서 \"사람 문 개\"와 \"개 문 사람\"을 구별하지 "
        "못합니다. 세 단어가 같고 순서만 다르기 때문입니다. 단어마다 자리를 알려 주는 무늬를 더해 "
        "주어야 합니다.",
        "Attention sees all words at once, so it cannot tell \"dog bites man\" from \"man "
        "bites dog\". Every word needs a pattern added to it that says where it stands."}});
  s.step({"clock",
          {"바늘이 많은 시계", "A clock with many hands"},
          {"시계를 떠올려 보십시오. 초침은 빨리 돌아 바로 옆 순간을 구별하고, 시침은 천천히 돌아 "
           "아침과 저녁을 구별합니다. 위치 인코딩은 바늘이 많은 시계입니다. 앞쪽 차원은 빨리 돌고 "
           "뒤쪽 차원은 아주 천천히 돕니다. 한 행이 한 위치에서 읽은 모든 바늘입니다.",
           "Think of a clock. The second hand turns fast and tells neighbouring moments apart; "
           "the hour hand turns slowly and tells morning from evening. Positional encoding is a "
           "clock with many hands: the first dimensions turn fast, the last very slowly. One row "
           "is the reading of all hands at one position."}});
  s.let("divisors", divisors_rule(n));
  s.let("angles", angles_rule(n));
  add_encoding(s, n);
  s.step(
      {"distance",
       {"거리만 보기", "Only distance counts"},
       {"두 위치의 무늬가 얼마나 닮았는지는 둘 사이의 거리만으로 정해집니다. 첫 단어와 셋째 "
        "단어가 닮은 만큼 백한째와 백셋째도 닮았습니다. 그래서 모델은 '두 칸 앞'을 어디서나 같은 "
        "방법으로 배울 수 있습니다.",
        "How alike the patterns of two positions are depends on their distance alone: words 1 "
        "and 3 are as alike as words 101 and 103. So a model can learn \"two places back\" "
        "once, for everywhere."}});
  add_dots(s, n);
}

void write_position_steps(Sheet& s, const PositionSizes& n) {
  s.step({"divisors",
          {"나누는 수", "The divisors"},
          {"차원을 둘씩 짝짓습니다. d = {0}이면 짝이 {1}개입니다. 짝 i는 위치를 10000^(2i/d)로 "
           "나눕니다. i가 클수록 더 큰 수로 나누어 더 천천히 돕니다.",
           "Dimensions go in pairs: d = {0} has {1} of them. Pair i divides the position by "
           "10000^(2i/d): the larger i, the larger the divisor and the slower the turn."},
          "divisor_i = 10000^(2i/d)"},
         {std::to_string(n.d), std::to_string(n.d / 2)});
  s.shape(text_of("[", n.d / 2, "]"));
  add_divisors(s, n);
  s.step({"angles",
          {"각도", "The angles"},
          {"위치를 나누는 수로 나눈 값이 라디안 각도입니다. 한 행이 한 위치입니다.",
           "Position over divisor is an angle in radians. One row is one position."},
          "angle(p, i) = p / divisor_i"});
  s.shape(text_of("[", n.length, ",1] / [", n.d / 2, "] -> [", n.length, ",", n.d / 2, "]"));
  add_angles(s, n);
  s.step({"encoding",
          {"사인과 코사인", "Sine and cosine"},
          {"짝수 차원에는 각도의 사인, 홀수 차원에는 코사인을 씁니다. 이 행을 그 위치의 단어 "
           "벡터에 더합니다.",
           "Even dimensions hold the sine of the angle, odd ones the cosine. The row is added to "
           "the word vector at that position."},
          "PE(p, 2i) = sin(angle(p, i)),  PE(p, 2i+1) = cos(angle(p, i))"});
  s.shape(text_of("[", n.length, ",", n.d / 2, "] -> [", n.length, ",", n.d, "]"));
  add_encoding(s, n);
  add_wavelengths(s, n);
  add_dots_step(s, n);
  add_moves(s, n);
}

void write_position_math(Sheet& s, const PositionSizes& n) {
  s.step({"definition",
          {"정의", "Definition"},
          {"짝마다 반지름 1인 원 위의 점입니다. 그러므로 모든 위치의 길이가 같습니다.",
           "Each pair is a point on the unit circle, so all positions have the same length."},
          "ω_i = 10000^(-2i/d),  PE(p) = (sin ω_i p, cos ω_i p)_i,  ‖PE(p)‖² = d/2"});
  s.shape(text_of("[", n.length, ",", n.d, "]"));
  add_divisors(s, n);
  s.table("omega", "ω", "1 / divisors",
          {.columns = pairs_by_hand(n), .digits = kDigits, .lines = 0});
  add_angles(s, n);
  add_encoding(s, n);
  s.step({"rotation",
          {"옮김은 회전", "A shift is a rotation"},
          {"k칸 옮기는 일은 p와 상관없는 직교 행렬 R(k)를 곱하는 것과 같습니다. 짝마다 2 x 2 "
           "회전입니다. 아래는 k = 1이고, p = 1에서 p = 2로 갑니다.",
           "Moving by k positions is multiplying by an orthogonal matrix R(k) that does not "
           "depend on p: a 2 x 2 rotation for each pair. Below k = 1, from p = 1 to p = 2."},
          "PE(p+k) = PE(p)·R(k),  R_i(k) = [[cos kω_i, -sin kω_i], [sin kω_i, cos kω_i]]"});
  s.shape(text_of("[", n.shown, "]·[", n.shown, ",", n.shown, "] -> [", n.shown, "]"));
  add_rotation(s, n);
  add_dots_step(s, n);
  s.step({"derivative",
          {"도함수", "Derivative"},
          {"위치는 정수지만 식은 매끄럽습니다. p = 1에서의 도함수입니다. 그 크기는 p와 "
           "상관없습니다.",
           "Positions are whole numbers but the formula is smooth. The derivative at p = 1; its "
           "size does not depend on p."},
          "∂PE(p, 2i)/∂p = ω_i·cos ω_i p,  ∂PE(p, 2i+1)/∂p = -ω_i·sin ω_i p,  ‖∂PE/∂p‖² = Σ_i "
          "ω_i²"});
  s.let("rising", "omega * cos(omega)");
  s.let("falling", "-omega * sin(omega)");
  s.table("derivative", "∂PE/∂p, p = 1", "interleave(rising, falling)",
          {.columns = labels("", n.shown, 0), .digits = kDigits, .lines = 2});
}

}  // namespace jogak
