// Everything the lesson on positional encoding says, in words and in Python.
#pragma once

#include "explain/topic.h"

namespace jogak::positions_words {

inline constexpr Words kTitle{"위치 인코딩: 순서를 알려 주기",
                              "Positional encoding: telling the order"};
inline constexpr Words kHeatMap{"위치 인코딩 (d = {0})", "Positional encoding (d = {0})"};
inline constexpr Words kPosition{"위치", "position"}, kDimension{"차원", "dimension"};
inline constexpr Words kWaves{"차원 하나하나의 물결", "Waves of single dimensions"};
inline constexpr Words kValue{"값", "value"}, kDimensionOf{"차원 {0}", "dimension {0}"};
inline constexpr Words kSimilarity{"거리에 따른 닮음 (d = {0})",
                                   "Similarity by distance (d = {0})"};
inline constexpr Words kDistance{"거리 k", "distance k"}, kDotName{"내적", "dot product"};
inline constexpr Words kNeighbours{"이웃", "neighbours"}, kHalf{"{0}칸 떨어짐", "{0} apart"};
inline constexpr Words kDivisor{"나누는 수", "divisor"}, kWavelength{"파장", "wavelength"};

// Story.
inline constexpr StepWords kStoryOrder{
    "order",
    {"순서를 모르는 눈", "Eyes that know no order"},
    {"어텐션은 모든 단어를 한꺼번에 봅니다. 그래서 \"개가 사람을 물었다\"와 \"사람이 개를 "
     "물었다\"를 "
     "구별하지 못합니다. 단어마다 자리를 알려 주는 무늬를 더해 주어야 합니다.",
     "Attention sees all words at once, so it cannot tell \"dog bites man\" from \"man bites "
     "dog\". "
     "Every word needs a pattern added to it that says where it stands."}};
inline constexpr StepWords kStoryClock{
    "clock",
    {"바늘이 많은 시계", "A clock with many hands"},
    {"시계를 떠올려 보십시오. 초침은 빨리 돌아 바로 옆 순간을 구별하고, 시침은 천천히 돌아 아침과 "
     "저녁을 "
     "구별합니다. 위치 인코딩은 바늘이 많은 시계입니다. 앞쪽 차원은 빨리 돌고 뒤쪽 차원은 아주 "
     "천천히 "
     "돕니다. 한 행이 한 위치에서 읽은 모든 바늘입니다.",
     "Think of a clock. The second hand turns fast and tells neighbouring moments apart; the hour "
     "hand turns slowly and tells morning from evening. Positional encoding is a clock with many "
     "hands: the first dimensions turn fast, the last very slowly. One row is the reading of all "
     "hands at one position."}};
inline constexpr StepWords kStoryDistance{
    "distance",
    {"거리만 보기", "Only distance counts"},
    {"두 위치의 무늬가 얼마나 닮았는지는 둘 사이의 거리만으로 정해집니다. 첫 단어와 셋째 단어가 "
     "닮은 "
     "만큼 백한째와 백셋째도 닮았습니다. 그래서 모델은 '두 칸 앞'을 어디서나 같은 방법으로 배울 수 "
     "있습니다.",
     "How alike the patterns of two positions are depends on their distance alone: words 1 and 3 "
     "are "
     "as alike as words 101 and 103. So a model can learn \"two places back\" once, for "
     "everywhere."}};

// Student.
inline constexpr StepWords kDivisors{
    "divisors",
    {"나누는 수", "The divisors"},
    {"차원을 둘씩 짝짓습니다. d = {0}이면 짝이 {1}개입니다. 짝 i는 위치를 10000^(2i/d)로 나눕니다. "
     "i가 "
     "클수록 더 큰 수로 나누어 더 천천히 돕니다.",
     "Dimensions go in pairs: d = {0} has {1} of them. Pair i divides the position by "
     "10000^(2i/d): "
     "the larger i, the larger the divisor and the slower the turn."},
    "divisor_i = 10000^(2i/d)"};
inline constexpr StepWords kAngles{
    "angles",
    {"각도", "The angles"},
    {"위치를 나누는 수로 나눈 값이 라디안 각도입니다. 한 행이 한 위치입니다.",
     "Position over divisor is an angle in radians. One row is one "
     "position."},
    "angle(p, i) = p / divisor_i"};
inline constexpr StepWords kEncoding{
    "encoding",
    {"사인과 코사인", "Sine and cosine"},
    {"짝수 차원에는 각도의 사인, 홀수 차원에는 코사인을 씁니다. 이 행을 그 위치의 단어 벡터에 "
     "더합니다.",
     "Even dimensions hold the sine of the angle, odd ones the cosine. The row is added to the "
     "word "
     "vector at that position."},
    "PE(p, 2i) = sin(angle(p, i)),  PE(p, 2i+1) = cos(angle(p, i))"};
inline constexpr StepWords kWavelengths{
    "wavelengths",
    {"파장", "Wavelengths"},
    {"d = {0}일 때 한 바퀴 도는 데 걸리는 위치의 수입니다. i가 작으면 짧고(빠르고), i가 크면 "
     "깁니다(느립니다).",
     "For d = {0}, how many positions one full turn takes: short (fast) for low i, long (slow) for "
     "high i."},
    "wavelength_i = 2π·10000^(2i/d)"};
inline constexpr StepWords kDots{
    "dots",
    {"거리만 남는다", "Only the distance remains"},
    {"d = {0}에서 거리 k만큼 떨어진 두 위치의 내적입니다. 어느 위치 p에서 재어도 같습니다. "
     "sin·sin + cos·cos = cos(차이)이기 때문입니다.",
     "For d = {0}, the dot product of two positions at distance k. It is the same at every p, "
     "because sin·sin + cos·cos is the cosine of the difference."},
    "PE(p)·PE(p+k) = Σ_i cos(k / divisor_i),  i = 0 … d/2 - 1"};
inline constexpr StepWords kApart{
    "apart",
    {"어느 차원이 무엇을 구별하는가", "Which dimensions tell what apart"},
    {"짝 i의 바늘 끝이 바로 옆 위치로 갈 때와 {0}칸(길이의 절반)을 갈 때 움직인 직선 "
     "거리입니다(가장 "
     "크면 2). 앞 열이 크면 그 짝은 이웃을 구별하고, 뒤 열이 크면 앞 절반과 뒤 절반을 구별합니다. "
     "둘 다 "
     "0에 가까운 짝은 이 길이에서 거의 움직이지 않습니다.",
     "How far the tip of hand i moves, in a straight line, from one position to the next and over "
     "{0} positions (half the length); 2 is the most. Where the first column is large, the pair "
     "tells neighbours apart; where the second is, it tells the first half from the second; where "
     "both are near 0, it hardly moves over this length."},
    "move_i(k) = 2·|sin(k / (2·divisor_i))|"};

// Mathematics.
inline constexpr StepWords kDefinition{
    "definition",
    {"정의", "Definition"},
    {"짝마다 반지름 1인 원 위의 점입니다. 그러므로 모든 위치의 길이가 같습니다.",
     "Each pair is a point on the unit circle, so all positions have the same length."},
    "ω_i = 10000^(-2i/d),  PE(p) = (sin ω_i p, cos ω_i p)_i,  ‖PE(p)‖² = d/2"};
inline constexpr StepWords kRotation{
    "rotation",
    {"옮김은 회전", "A shift is a rotation"},
    {"k칸 옮기는 일은 p와 상관없는 직교 행렬 R(k)를 곱하는 것과 같습니다. 짝마다 2 x 2 회전입니다. "
     "아래는 k = 1이고, p = 1에서 p = 2로 갑니다.",
     "Moving by k positions is multiplying by an orthogonal matrix R(k) that does not depend on p: "
     "a "
     "2 x 2 rotation for each pair. Below k = 1, from p = 1 to p = 2."},
    "PE(p+k) = R(k)·PE(p),  R_i(k) = [[cos kω_i, sin kω_i], [-sin kω_i, cos kω_i]]"};
inline constexpr StepWords kDerivative{
    "derivative",
    {"도함수", "Derivative"},
    {"위치는 정수지만 식은 매끄럽습니다. p = 1에서의 도함수입니다. 그 크기는 p와 상관없습니다.",
     "Positions are whole numbers but the formula is smooth. The derivative at p = 1; its size "
     "does "
     "not depend on p."},
    "∂PE(p, 2i)/∂p = ω_i·cos ω_i p,  ∂PE(p, 2i+1)/∂p = -ω_i·sin ω_i p,  ‖∂PE/∂p‖² = Σ_i ω_i²"};

// Python: #0# d, #1# rows, #2# dimensions shown, #3# wide d, #4# pairs, #5# half the length,
// #6# distances.
inline constexpr CodeBlock kCodeEncoding{
    {"나누는 수, 각도, 사인과 코사인", "divisors, angles, sine and cosine"},
    R"(def encode(p, d):
    angles = np.asarray(p, dtype=float)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(len(p), d)


d, rows, shown = #0#, #1#, #2#
divisors = 10000 ** (np.arange(0, d, 2) / d)[: shown // 2]
show("divisors", divisors)
show("angles", np.arange(rows)[:, None] / divisors)
show("pe", encode(range(rows), d)[:, :shown]))",
    R"(def encode(p, d):
    angles = torch.tensor(list(p), dtype=torch.float64)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).reshape(len(p), d)


d, rows, shown = #0#, #1#, #2#
divisors = 10000 ** (torch.arange(0, d, 2) / d)[: shown // 2]
show("divisors", divisors)
show("angles", torch.arange(rows)[:, None] / divisors)
show("pe", encode(range(rows), d)[:, :shown]))"};
inline constexpr CodeBlock kCodeDots{{"거리에 따른 내적", "dot products by distance"},
                                     R"(wide, k = #3#, #6#
at_0 = encode([0], wide) @ encode(k, wide).T
at_100 = encode([100], wide) @ encode([100 + x for x in k], wide).T
show("dots", np.concatenate([at_0, at_100])))",
                                     R"(wide, k = #3#, #6#
at_0 = encode([0], wide) @ encode(k, wide).T
at_100 = encode([100], wide) @ encode([100 + x for x in k], wide).T
show("dots", torch.cat([at_0, at_100])))"};
inline constexpr CodeBlock kCodeWaves{{"파장, 움직인 거리", "wavelengths, moves"},
                                      R"(divisors = 10000 ** (2 * np.array(#4#) / wide)
show("waves", np.stack([divisors, 2 * np.pi * divisors], axis=1))
moves = [2 * np.abs(np.sin(x / (2 * divisors))) for x in (1, #5#)]
show("moves", np.stack(moves, axis=1)))",
                                      R"(divisors = 10000 ** (2 * torch.tensor(#4#) / wide)
show("waves", torch.stack([divisors, 2 * torch.pi * divisors], dim=1))
moves = [2 * torch.abs(torch.sin(x / (2 * divisors))) for x in (1, #5#)]
show("moves", torch.stack(moves, dim=1)))"};
inline constexpr CodeBlock kCodeMath{{"회전과 도함수", "rotation and derivative"},
                                     R"(omega = 1 / divisors
rotation = np.zeros((shown, shown))
for i, w in enumerate(omega):
    rotation[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
show("omega", omega)
show("rotation", rotation)
show("rotated", rotation @ encode([1], d)[0, :shown])
slope = np.stack([omega * np.cos(omega), -omega * np.sin(omega)], axis=1)
show("derivative", slope.reshape(-1)))",
                                     R"(omega = 1 / divisors
blocks = [torch.stack([torch.stack([w.cos(), w.sin()]), torch.stack([-w.sin(), w.cos()])]) for w in omega]
rotation = torch.block_diag(*blocks)
show("omega", omega)
show("rotation", rotation)
show("rotated", rotation @ encode([1], d)[0, :shown])


def waves(p):
    return torch.stack([torch.sin(omega * p), torch.cos(omega * p)], dim=1).reshape(-1)


show("derivative", torch.autograd.functional.jacobian(waves, torch.tensor(1.0))))"};

}  // namespace jogak::positions_words
