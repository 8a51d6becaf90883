#include <cmath>

#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"a",
     TopicInput::Kind::shares,
     {"한 헤드의 어텐션 가중치", "attention weights of one head"},
     "n,n",
     0,
     1},
};

// Where token i finds what followed the last time it stood: "a b c a": the second a looks at b.
Matrix induction_places(const Parts& words) {
  const auto n = static_cast<int64_t>(words.size());
  Matrix out(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i - 1; j >= 0; --j)
      if (words[static_cast<size_t>(j)] == words[static_cast<size_t>(i)]) {
        out.at(i, j + 1) = 1;
        break;
      }
  return out;
}

Matrix distances(int64_t n) {
  Matrix out(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out.at(i, j) = std::abs(static_cast<double>(i - j));
  return out;
}

struct Facts {
  Parts words;
  int64_t n;
  double repeats;
};

void add_places(Sheet& s, const Facts& f) {
  s.table("same", "same", text_of("diagonal_sum(a, 0) / ", f.n));
  s.table("first", "first", "mean(a[:, 0:1])");
  if (f.n == 1) return;
  s.table("previous", "previous", text_of("diagonal_sum(a, -1) / ", f.n - 1));
  s.table("following", "next", text_of("diagonal_sum(a, 1) / ", f.n - 1));
}

void add_induction(Sheet& s, const Facts& f) {
  if (f.repeats == 0) return;
  s.show("induction_places", "places", {.rows = f.words, .columns = f.words});
  s.table("induction", "induction", text_of("sum(a * induction_places) / ", f.repeats));
}

void add_spread(Sheet& s, const Facts& f) {
  s.table("row_entropy", "H_i", "row_sum(-a * log(where(a, a, 1)))", {.rows = f.words, .lines = 0});
  s.table("entropy", "entropy", "mean(row_entropy)");
  s.show("distances", "|i - j|", {.rows = f.words, .columns = f.words});
  s.table("row_distance", "D_i", "row_sum(a * distances)", {.rows = f.words, .lines = 2});
  s.table("distance", "distance", "mean(row_distance)");
}

void write_story(Sheet& s, const Facts& f) {
  s.step(
      {"gaze",
       {"시선을 좇아 보기", "Following the gaze"},
       {"아무도 헤드에게 '너는 주어를 찾아라' 하고 시키지 않습니다. 배우는 동안 저마다 버릇이 생길 "
        "뿐입니다. 그래서 어떤 헤드인지 알려면 어디를 보는지 재어 보는 수밖에 없습니다.",
        "Nobody tells a head to look for the subject. Habits form while learning. To know what a "
        "head does there is only one way: to measure where it looks."}});
  s.show("a", "A", {.rows = f.words, .columns = f.words});
  s.step(
      {"habits",
       {"버릇 다섯 가지", "Five habits"},
       {"바로 앞을 보는가, 바로 뒤를 보는가, 첫 토큰을 보는가, 자기를 보는가. 그리고 같은 단어가 "
        "전에 나왔을 때 그다음에 무엇이 왔는지를 보는가. 마지막 버릇을 귀납 헤드라고 합니다.",
        "Does it look one back, one ahead, at the first token, at itself? Or at what came next "
        "the last time the same word appeared? The last is called an induction head."}});
  add_places(s, f);
  add_induction(s, f);
  s.step({"spread",
          {"얼마나 두리번거리나", "How far it roams"},
          {"한곳만 보는지 여기저기 보는지는 엔트로피로, 멀리 보는지는 평균 거리로 잽니다.",
           "Entropy tells whether it stares at one place or looks all over; the mean distance, how "
           "far away."}});
  add_spread(s, f);
}

void write_student(Sheet& s, const Facts& f) {
  s.step({"weights",
          {"한 헤드의 가중치", "The weights of one head"},
          {"행은 보는 토큰, 열은 보이는 토큰입니다. 헤드가 하는 일은 정해 준 것이 아니라 이 수에서 "
           "재는 "
           "것입니다. 진짜 모델의 모든 헤드는 jogak inspect heads가 잽니다.",
           "Rows look, columns are looked at. What a head does is not assigned but measured from "
           "these numbers. jogak inspect heads measures every head of a real model."}});
  s.shape(shape_text(s.of("a")));
  s.show("a", "A", {.rows = f.words, .columns = f.words});
  s.step(
      {"places",
       {"자기, 첫 토큰, 앞, 뒤", "Same, first, previous, next"},
       {"대각선의 평균이 자기를 보는 정도, 첫 열의 평균이 첫 토큰을 보는 정도, 대각선 바로 아래의 "
        "평균이 앞을, 바로 위의 평균이 뒤를 보는 정도입니다. 1이면 언제나 그곳만 봅니다.",
        "The mean of the diagonal says how much a token looks at itself, the mean of the first "
        "column at the first token, the mean just below the diagonal one back, just above it one "
        "ahead. 1 means always and only there."},
       "same = (1/n)·Σ_i A_ii,  previous = (1/(n-1))·Σ_i A_i,i-1"});
  add_places(s, f);
  if (f.repeats > 0) {
    s.step({"induction",
            {"귀납: 전에 무엇이 이어졌나", "Induction: what followed last time"},
            {"같은 단어가 전에 있었다면, 그때 바로 다음에 온 자리를 1로 표시합니다. 그 자리에 실린 "
             "가중치의 평균이 귀납 점수입니다. 이런 헤드는 본 것을 되풀이하게 해 줍니다.",
             "If the same word stood before, mark the place right after it with 1. The mean weight "
             "on these places is the induction score: such heads let a model repeat what it has "
             "seen."},
            "induction = Σ_ij A_ij·P_ij / Σ_ij P_ij"});
    add_induction(s, f);
  }
  s.step(
      {"spread",
       {"엔트로피와 평균 거리", "Entropy and mean distance"},
       {"엔트로피는 한 곳만 보면 0, 모두 고르게 보면 log n입니다. 평균 거리는 보는 곳까지 몇 토큰 "
        "떨어져 있는지입니다.",
        "Entropy is 0 when one place is seen and log n when all are seen alike. The mean "
        "distance is how many tokens away it looks."},
       "H_i = -Σ_j A_ij·log A_ij,  D_i = Σ_j A_ij·|i - j|"});
  add_spread(s, f);
}

void write_math(Sheet& s, const Facts& f) {
  s.step({"scores",
          {"점수", "Scores"},
          {"모두 A의 선형 범함수이며 0과 1 사이입니다. 인과 마스크가 있으면 뒤를 보는 점수는 "
           "0입니다. 낮은 "
           "층의 '앞 보기' 헤드와 높은 층의 귀납 헤드가 함께 문맥 속 학습을 이룹니다.",
           "Each is a linear functional of A between 0 and 1; under a causal mask the score of "
           "looking ahead is 0. A previous-token head below and an induction head above together "
           "make in-context learning."},
          "⟨A, P⟩ / ⟨1, P⟩"});
  s.show("a", "A", {.rows = f.words, .columns = f.words});
  add_places(s, f);
  add_induction(s, f);
  s.step({"entropy",
          {"엔트로피와 거리", "Entropy and distance"},
          {"exp(H_i)는 실제로 보는 토큰의 수로 읽을 수 있습니다.",
           "exp(H_i) reads as the number of tokens really looked at."},
          "0 ≤ H_i ≤ log n"});
  add_spread(s, f);
  s.table("effective", "exp(H_i)", "exp(row_entropy)", {.rows = f.words, .lines = 0});
}

void write(Sheet& s) {
  const Matrix& a = s.input("a", {{1, 0, 0, 0, 0, 0},
                                  {0.6, 0.4, 0, 0, 0, 0},
                                  {0.3, 0.5, 0.2, 0, 0, 0},
                                  {0.1, 0.7, 0.1, 0.1, 0, 0},
                                  {0.1, 0.1, 0.6, 0.1, 0.1, 0},
                                  {0.1, 0.05, 0.05, 0.7, 0.05, 0.05}});
  Facts f{s.words(a.rows, {}), a.rows, 0};
  if (s.request().words.empty())  // a b c a b c …
    for (int64_t i = 0; i < a.rows; ++i)
      f.words[static_cast<size_t>(i)] = std::string(1, static_cast<char>('a' + i % 3));
  const Matrix places = induction_places(f.words);
  for (const double x : places.values) f.repeats += x;
  s.constant("induction_places", places);
  s.constant("distances", distances(a.rows));
  s.tell(write_story, write_student, write_math, f);
  s.heatmap("a", s.of("a"),
            {{"헤드의 가중치", "Weights of the head"},
             {"보이는 토큰", "token looked at"},
             {"보는 토큰", "token that looks"}},
            f.words, f.words);
}

}  // namespace

const Topic& heads_topic() {
  static constexpr Topic topic{
      .name = "heads",
      .title = {"헤드가 하는 일: 시키지 않고 잽니다", "What a head does: measured, not assigned"},
      .inputs = kInputs,
      .takes_transpose = true,
      .write = write,
      .takes_words = true};
  return topic;
}

}  // namespace jogak
