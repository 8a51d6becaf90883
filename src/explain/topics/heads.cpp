#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/head_name.h"
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

// Places where a rule of two tokens and their places holds.
template <class Holds>
Matrix places(const Parts& words, Holds holds) {
  const auto n = static_cast<int64_t>(words.size());
  Matrix out(n, n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) out.at(i, j) = holds(i, j) ? 1 : 0;
  return out;
}

bool alike(const Parts& words, int64_t i, int64_t j) {
  return words[static_cast<size_t>(i)] == words[static_cast<size_t>(j)];
}

double rows_with_any(const Matrix& m) {
  double out = 0;
  for (int64_t i = 0; i < m.rows; ++i)
    out += std::any_of(m.row(i).begin(), m.row(i).end(), [](double x) { return x != 0; });
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
  double same, induction;  // rows with an equal token elsewhere, and with one before the last
};

std::string name_of(Sheet& s, std::string_view habit) { return s.in(head_words(habit)); }

void add_places(Sheet& s, const Facts& f) {
  s.table("itself", name_of(s, "itself"), text_of("diagonal_sum(a, 0) / ", f.n));
  if (f.n == 1) return;
  s.table("first", name_of(s, "first"), text_of("mean(a[1:", f.n, ", 0:1])"));
  s.table("previous", name_of(s, "previous"), text_of("diagonal_sum(a, -1) / ", f.n - 1));
  s.table("following", name_of(s, "next"), text_of("diagonal_sum(a, 1) / ", f.n - 1));
}

void add_equal(Sheet& s, const Facts& f) {
  const TableStyle style{.rows = f.words, .columns = f.words};
  if (f.same > 0) {
    s.show("same_places", s.in({"같은 토큰의 자리", "places of the same token"}), style);
    s.table("same", name_of(s, "same"), text_of("sum(a * same_places) / ", f.same));
  }
  if (f.induction > 0) {
    s.show("induction_places", s.in({"그다음 자리", "places behind it"}), style);
    s.table("induction", name_of(s, "induction"),
            text_of("sum(a * induction_places) / ", f.induction));
  }
}

void add_spread(Sheet& s, const Facts& f) {
  s.show("near_places", s.in({"둘레의 자리", "places near by"}),
         {.rows = f.words, .columns = f.words});
  s.table("near", name_of(s, "near"), text_of("sum(a * near_places) / ", f.n));
  s.table("row_entropy", "H_i", "row_sum(-a * log(where(a, a, 1))) / log(2)",
          {.rows = f.words, .lines = 0});
  s.table("entropy", s.in({"엔트로피(비트)", "entropy in bits"}), "mean(row_entropy)");
  s.table("even", s.in({"모두 고르게 볼 때의 엔트로피", "entropy of an even look"}),
          "mean(log(row_sum(positive(a)))) / log(2)", {.lines = 0});
  s.show("distances", "|i - j|", {.rows = f.words, .columns = f.words});
  s.table("row_distance", "D_i", "row_sum(a * distances)", {.rows = f.words, .lines = 2});
  s.table("distance", s.in({"평균 거리", "mean distance"}), "mean(row_distance)");
}

// The name that the numbers above give this head.
void add_name(Sheet& s, const Facts& f) {
  const auto measured = [&](const char* table, bool there) {
    return there ? s.of(table).at(0, 0) : NAN;
  };
  const bool several = f.n > 1;
  const HeadMeasures head{.previous = measured("previous", several),
                          .next = measured("following", several),
                          .first = measured("first", several),
                          .itself = measured("itself", true),
                          .same = measured("same", f.same > 0),
                          .induction = measured("induction", f.induction > 0),
                          .near = measured("near", true),
                          .entropy = measured("entropy", true),
                          .even = measured("even", true),
                          .distance = measured("distance", true)};
  s.step(
      {"name",
       {"이름 붙이기", "The name"},
       {"이 헤드: {0}. 여섯 버릇 가운데 몫이 절반을 넘는 가장 큰 것이 이름이 됩니다. 없으면 두 칸 "
        "안을 절반 넘게 보면 '둘레', 엔트로피가 1비트 이하면 '한두 곳', 고르게 볼 때의 9할이 "
        "넘으면 '고르게'이고, 나머지는 몇 개의 토큰을(2^H) 얼마나 멀리서 보는지로 적습니다. "
        "jogak inspect heads도 같은 규칙과 단위를 씁니다.",
        "This head: {0}. The largest of the six habits that gets half or more is the name. "
        "Otherwise a head that gives half to places at most two away is near; at one bit or less "
        "it looks at one or two; at nine tenths of an even look it is even; of the rest we say "
        "how many tokens it looks at (2^H) and how far away. jogak inspect heads has the same "
        "rules and units."}},
      {head_text(head, s.lesson().lang)});
  s.table("looked_at", s.in({"보는 토큰의 수 2^H", "tokens looked at, 2^H"}), "2 ** entropy");
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
       {"버릇 여섯 가지", "Six habits"},
       {"바로 앞을 보는가, 바로 뒤를 보는가, 첫 토큰을 보는가, 자기를 보는가, 같은 단어를 보는가. "
        "그리고 같은 단어가 전에 나왔을 때 그다음에 무엇이 왔는지를 보는가. 마지막 버릇을 귀납 "
        "헤드라고 합니다.",
        "Does it look one back, one ahead, at the first token, at itself, at the same word "
        "elsewhere? Or at what came next when the same word appeared before? The last is called "
        "an induction head."}});
  add_places(s, f);
  add_equal(s, f);
  s.step({"spread",
          {"얼마나 두리번거리나", "How far it roams"},
          {"한곳만 보는지 여기저기 보는지는 엔트로피로, 멀리 보는지는 평균 거리로 잽니다.",
           "Entropy tells whether it stares at one place or looks all over; the mean distance, how "
           "far away."}});
  add_spread(s, f);
  add_name(s, f);
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
  s.step({"places",
          {"자기, 첫 토큰, 앞, 뒤", "Itself, first, previous, next"},
          {"대각선의 평균이 자기를 보는 정도, 첫 열의 평균(첫 토큰 자신은 빼고)이 첫 토큰을 보는 "
           "정도, 대각선 바로 아래의 평균이 앞을, 바로 위의 평균이 뒤를 보는 정도입니다. 1이면 "
           "언제나 그곳만 봅니다.",
           "The mean of the diagonal says how much a token looks at itself, the mean of the first "
           "column, the first token left out, at the first token, the mean just below the diagonal "
           "one back, just above it one ahead. 1 means always and only there."},
          "(1/n)·Σ_i A_ii,  (1/(n-1))·Σ_i A_i,i-1"});
  add_places(s, f);
  if (f.same > 0) {
    s.step(
        {"induction",
         {"같은 토큰과 귀납", "The same token, and induction"},
         {"같은 단어가 다른 자리에 있으면 그 자리를, 앞에 있었다면 그 바로 다음 자리를 1로 "
          "표시합니다. 표시가 있는 행에서 그 자리에 실린 가중치의 평균이 점수입니다. 뒤의 것이 "
          "귀납 점수이고, 이런 헤드는 본 것을 되풀이하게 해 줍니다.",
          "Where the same word stands elsewhere its places are marked with 1, and where it stood "
          "before, the places right behind it. The mean weight on them, over rows that have "
          "some, is the score. The second is the induction score: such heads let a model repeat "
          "what it has seen."},
         "Σ_ij A_ij·P_ij / n_P"});
    add_equal(s, f);
  }
  s.step(
      {"spread",
       {"엔트로피와 평균 거리", "Entropy and mean distance"},
       {"엔트로피는 비트로 잽니다. 한 곳만 보면 0, n곳을 고르게 보면 log₂ n입니다. 평균 거리는 "
        "보는 "
        "곳까지 몇 토큰 떨어져 있는지이고, 둘레는 두 칸 안에 실린 가중치입니다.",
        "Entropy is in bits: 0 when one place is seen and log₂ n when n are seen alike. The mean "
        "distance is how many tokens away it looks; near is what lies at most two places away."},
       "H_i = -Σ_j A_ij·log₂ A_ij,  D_i = Σ_j A_ij·|i - j|"});
  add_spread(s, f);
  add_name(s, f);
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
  add_equal(s, f);
  s.step({"entropy",
          {"엔트로피와 거리", "Entropy and distance"},
          {"2^H_i는 실제로 보는 토큰의 수로 읽을 수 있습니다.",
           "2^H_i reads as the number of tokens really looked at."},
          "0 ≤ H_i ≤ log₂ n"});
  add_spread(s, f);
  s.table("effective", "2^H_i", "2 ** row_entropy", {.rows = f.words, .lines = 0});
  add_name(s, f);
}

void write(Sheet& s) {
  const Matrix& a = s.input("a", {{1, 0, 0, 0, 0, 0},
                                  {0.6, 0.4, 0, 0, 0, 0},
                                  {0.3, 0.5, 0.2, 0, 0, 0},
                                  {0.1, 0.7, 0.1, 0.1, 0, 0},
                                  {0.1, 0.1, 0.6, 0.1, 0.1, 0},
                                  {0.1, 0.05, 0.05, 0.7, 0.05, 0.05}});
  Facts f{s.words(a.rows, {}), a.rows, 0, 0};
  if (s.request().words.empty())  // a b c a b c …
    for (int64_t i = 0; i < a.rows; ++i)
      f.words[static_cast<size_t>(i)] = std::string(1, static_cast<char>('a' + i % 3));
  const auto same = [&](int64_t i, int64_t j) { return i != j && alike(f.words, i, j); };
  const auto behind = [&](int64_t i, int64_t j) {
    return j >= 1 && j < i && alike(f.words, i, j - 1);
  };
  s.constant("same_places", places(f.words, same));
  s.constant("induction_places", places(f.words, behind));
  s.constant("near_places",
             places(f.words, [](int64_t i, int64_t j) { return std::abs(i - j) <= kNear; }));
  f.same = rows_with_any(s.of("same_places"));
  f.induction = rows_with_any(s.of("induction_places"));
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
