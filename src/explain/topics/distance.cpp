#include "explain/arithmetic.h"
#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"k",
     TopicInput::Kind::integer,
     {"두 위치 사이의 거리", "the distance between two positions"},
     {},
     0,
     1000},
};

constexpr const char* kDistances = "(0, 1, 2, 8, 64)";
const Parts kPlaces = {"p = 0", "p = 1", "p = 7", "p = 50"};

void add_wide(Sheet& s) {
  Matrix dots(1, 5);
  Parts columns;
  int64_t j = 0;
  for (const int k : {0, 1, 2, 8, 64}) {
    dots.at(0, j++) = plain::position_dot(0, k, 512);
    columns.push_back(text_of("k = ", k));
  }
  s.coded("wide", "PE(p)·PE(p+k), d = 512", dots,
          text_of("divisors = 10000 ** (np.arange(0, 512, 2) / 512)\n"
                  "wide = np.array([np.cos(x / divisors).sum() for x in ",
                  kDistances, "])"),
          text_of("divisors = 10000 ** (torch.arange(0, 512, 2) / 512)\n"
                  "wide = torch.stack([torch.cos(x / divisors).sum() for x in ",
                  kDistances, "])"),
          {.columns = columns, .digits = 4});
}

void add_small(Sheet& s) {
  s.show("k", "k");
  s.show("place", "p", {kPlaces});
  s.show("divisors", "10000^(2i/4)", {{}, labels("i = ", 2, 0)});
}

void add_dot(Sheet& s) {
  s.table("here", "p / 10000^(2i/4)", "place / divisors", {kPlaces, labels("i = ", 2, 0)});
  s.table("there", "(p + k) / 10000^(2i/4)", "(place + k) / divisors",
          {kPlaces, labels("i = ", 2, 0)});
  s.table("dot", "PE(p)·PE(p+k)", "row_sum(sin(here) * sin(there) + cos(here) * cos(there))",
          {kPlaces});
}

void write_story(Sheet& s) {
  s.step({"hands",
          {"두 시계의 바늘", "The hands of two clocks"},
          {"위치마다 시계가 하나씩 있고 바늘 둘이 다른 빠르기로 돈다고 합시다. 두 시계가 얼마나 "
           "닮았는지는 바늘 사이의 각도만으로 정해집니다. 1시와 3시 사이의 각도는 7시와 9시 "
           "사이의 각도와 같습니다.",
           "Say every position has a clock with two hands of different speed. How alike two clocks "
           "are depends on the angles between their hands alone, and from 1 to 3 the angle is the "
           "same as from 7 to 9."}});
  add_small(s);
  s.let("angle", "k / divisors");
  s.table("alike", "PE(p)·PE(p+k)", "sum(cos(angle))");
  s.step(
      {"far",
       {"멀수록 덜 닮는다", "Farther is less alike"},
       {"바늘이 256개인 시계(d = 512)에서는 가까울수록 크고 멀어질수록 작아집니다. 모델은 여기서 "
        "'얼마나 떨어져 있나'를 읽습니다.",
        "With 256 hands (d = 512) near places are most alike and far ones less. From this a model "
        "reads how far apart words are."}});
  add_wide(s);
}

void write_student(Sheet& s) {
  s.step({"input",
          {"거리 k", "The distance k"},
          {"여러 위치 p에서, k칸 떨어진 위치와의 내적을 구해 봅시다. 작게 d = 4로 합니다. 짝 i의 "
           "나누는 수는 1과 100입니다.",
           "From several places p, take the dot product with the place k further on. A small d = 4 "
           "will do: its pairs divide by 1 and by 100."},
          "divisor_i = 10000^(2i/d)"});
  add_small(s);
  s.step({"dot",
          {"내적", "The dot product"},
          {"위치마다 각도를 구하고, 사인끼리 코사인끼리 곱해 더합니다. 어느 p에서나 같은 수가 "
           "나옵니다.",
           "Find the angles of each place, multiply sine by sine and cosine by cosine, and add. It "
           "is the same number at every p."},
          "PE(p)·PE(q) = Σ_i sin(p/w_i)·sin(q/w_i) + cos(p/w_i)·cos(q/w_i)"});
  add_dot(s);
  s.step({"why",
          {"왜 k만 남나", "Why only k remains"},
          {"sin a·sin b + cos a·cos b = cos(a - b)이므로 p가 사라지고 k만 남습니다.",
           "Since sin a·sin b + cos a·cos b = cos(a - b), p drops out and k remains."},
          "PE(p)·PE(p+k) = Σ_i cos(k / w_i)"});
  s.table("angle", "k / w_i", "k / divisors", {{}, labels("i = ", 2, 0)});
  s.table("alike", "Σ_i cos(k / w_i)", "sum(cos(angle))");
  s.step({"wide",
          {"d = 512에서", "At d = 512"},
          {"논문의 크기에서는 코사인 256개를 더합니다. k = 0이면 256이고, 멀어질수록 작아집니다.",
           "At the size of the paper 256 cosines are added: 256 at k = 0, and less the farther."},
          "Σ_i cos(k / 10000^(2i/512)),  i = 0 … 255"});
  add_wide(s);
}

void write_math(Sheet& s) {
  s.step({"toeplitz",
          {"테플리츠 그람 행렬", "A Toeplitz Gram matrix"},
          {"내적이 차이만의 함수이므로 위치들의 그람 행렬은 테플리츠이고, PE(p+k) = PE(p)·R(k)인 "
           "직교 행렬 R(k)가 있습니다.",
           "A dot product that depends on the difference alone makes the Gram matrix of positions "
           "Toeplitz; PE(p+k) = PE(p)·R(k) with an orthogonal R(k)."},
          "⟨PE(p), PE(q)⟩ = κ(q - p),  κ(k) = Σ_i cos(ω_i·k),  κ(0) = d/2,  κ(-k) = κ(k)"});
  add_small(s);
  add_dot(s);
  s.table("alike", "κ(k)", "sum(cos(k / divisors))");
  s.step({"decay",
          {"줄어드는 까닭", "Why it decays"},
          {"빠른 짝들의 코사인이 서로 지우기 때문입니다. 단조롭지는 않고, 로그 간격의 파장 때문에 "
           "천천히 물결칩니다.",
           "The cosines of fast pairs cancel. It is not monotone: wavelengths in geometric steps "
           "leave slow ripples."},
          "κ(k) ≈ (d/2)·∫₀¹ cos(k·10000^(-u)) du"});
  add_wide(s);
}

void write(Sheet& s) {
  const auto k = static_cast<double>(s.integer("k", 2));
  s.constant("k", Matrix::row_of({k}));
  s.constant("place", {{0}, {1}, {7}, {50}});
  s.constant("divisors", {{1, 100}});
  s.tell(write_story, write_student, write_math);
  constexpr int64_t kLongest = 101;
  Matrix shares(2, kLongest);
  for (int64_t x = 0; x < kLongest; ++x) {
    shares.at(0, x) = plain::position_dot(0, static_cast<double>(x), 512) / 256;
    shares.at(1, x) = plain::position_dot(0, static_cast<double>(x), 32) / 16;
  }
  s.chart(Picture::Kind::lines, "similarity", shares,
          {{"거리에 따른 닮음", "Likeness by distance"},
           {"거리 k", "distance k"},
           {"내적 / (d/2)", "dot product / (d/2)"}},
          {"d = 512", "d = 32"}, labels("", kLongest, 0));
}

}  // namespace

const Topic& distance_topic() {
  static constexpr Topic topic{
      .name = "distance",
      .title = {"거리: 두 위치는 얼마나 떨어져 있나", "Distance: how far apart two positions are"},
      .inputs = kInputs,
      .write = write};
  return topic;
}

}  // namespace jogak
