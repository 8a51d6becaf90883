#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"next",
     TopicInput::Kind::shares,
     {"단어마다 다음 단어의 확률: <s>, I, love, cats",
      "probabilities of the next word after <s>, I, love, cats"},
     "4,4",
     0,
     1},
};

const Parts kVocabulary = {"<s>", "I", "love", "cats"}, kPlaces = {"1", "2", "3"};

TableStyle by_place(int64_t lines = 0) {
  return {.rows = kPlaces, .columns = kVocabulary, .lines = lines};
}

// What the decoder is given at each place, and what it makes of it.
void add_teacher(Sheet& s) {
  s.show("right_words", "y", by_place());
  s.show("shown", "x", by_place());
  s.table("teacher", "p", "shown @ next", by_place());
}

void add_free(Sheet& s) {
  s.let("own_first", "pick(shown[0:1, :] @ next)");
  s.let("own_second", "pick(own_first @ next)");
  s.table("own", "x", "stack(shown[0:1, :], own_first, own_second)", by_place());
  s.table("free", "p", "own @ next", by_place());
}

void write_story(Sheet& s) {
  s.step(
      {"piano",
       {"손을 잡아 주는 선생님", "A teacher who guides the hand"},
       {"피아노를 배울 때 선생님은 학생이 음을 틀려도 다음 음부터는 악보대로 이어 가게 합니다. "
        "그러면 모든 마디를 고르게 연습할 수 있습니다. 번역 모델도 그렇게 배웁니다. 앞에서 무엇을 "
        "말했든, 다음 단어를 맞힐 때는 올바른 앞 단어를 보여 줍니다.",
        "At the piano, a teacher lets the pupil go on from the score even after a wrong note, so "
        "that every bar gets its practice. A translator is trained alike: whatever it said "
        "before, it is shown the right words so far."}});
  s.show("next", s.in({"P(다음 | 앞)", "P(next | last)"}),
         {.rows = kVocabulary, .columns = kVocabulary});
  add_teacher(s);
  s.step({"stage",
          {"혼자 서는 무대", "Alone on stage"},
          {"무대에서는 자기가 친 음을 듣고 다음 음을 칩니다. 한 번 틀리면 연습 때 들어 보지 못한 "
           "소리 위에서 이어 가야 하고, 잘못이 잘못을 부릅니다.",
           "On stage one goes on from the notes one has played. After one mistake the music sounds "
           "as it never did in practice, and one error invites the next."}});
  add_free(s);
}

void write_student(Sheet& s) {
  s.step({"model",
          {"작은 모델", "A small model"},
          {"앞 단어(행)를 보고 다음 단어(열)의 확률을 내놓는 모델입니다. 올바른 문장은 I love "
           "cats인데, 이 모델은 첫 단어로 cats를 조금 더 좋아합니다.",
           "A model that looks at the last word (row) and gives the next (column) a probability. "
           "The right sentence is I love cats, but the example's model slightly prefers cats as "
           "the first word."}});
  s.shape("[4,4]");
  s.show("next", s.in({"P(다음 | 앞)", "P(next | last)"}),
         {.rows = kVocabulary, .columns = kVocabulary});
  s.step({"teacher",
          {"교사 강요", "Teacher forcing"},
          {"학습에서는 자리마다 올바른 앞 단어 x를 보여 줍니다. 한 자리에서 틀려도 다음 자리에는 "
           "영향이 없고, 모든 자리를 한꺼번에 계산할 수 있습니다.",
           "In training, every place is shown the right word before it, x. A mistake in one place "
           "does not touch the next, and all places are computed at once."},
          "p_t = P(· | y_(t-1))"});
  s.shape("[3,4]·[4,4] -> [3,4]");
  add_teacher(s);
  s.table("teacher_right", "p(y)", "row_sum(teacher * right_words)", {.rows = kPlaces, .lines = 0});
  s.table("teacher_losses", "-log p(y)", "-log(teacher_right)", {.rows = kPlaces});
  s.table("teacher_loss", "L", "mean(teacher_losses)");
  s.step(
      {"free",
       {"스스로 달리기", "Free running"},
       {"실제로 쓸 때는 정답이 없으니 자기가 고른 단어(가장 그럴듯한 것)를 다음 입력으로 넣습니다. "
        "첫 단어를 틀리면 그 뒤는 학습에서 보지 못한 자리에서 이어집니다.",
        "In use there is no truth, so the model is given its own choice, the likeliest word. "
        "After a wrong first word it goes on from where it was never trained to be."},
       "p_t = P(· | ŷ_(t-1)),  ŷ_t = argmax p_t"});
  add_free(s);
  s.table("free_right", "p(y)", "row_sum(free * right_words)", {.rows = kPlaces, .lines = 0});
  s.table("free_losses", "-log p(y)", "-log(free_right)", {.rows = kPlaces});
  s.table("free_loss", "L", "mean(free_losses)");
}

void write_math(Sheet& s) {
  s.step({"chain",
          {"연쇄 법칙", "The chain rule"},
          {"문장의 확률은 올바른 앞부분이 주어졌을 때의 확률을 곱한 것입니다. 교사 강요는 이 값을 "
           "그대로 최대화합니다. 곧 최대 가능도 추정입니다.",
           "The probability of a sentence is the product of probabilities given the right "
           "beginning. Teacher forcing maximises just this: maximum likelihood."},
          "log P(y) = Σ_t log P(y_t | y_<t)"});
  s.show("next", s.in({"P(다음 | 앞)", "P(next | last)"}),
         {.rows = kVocabulary, .columns = kVocabulary});
  add_teacher(s);
  s.table("log_likelihood", "log P(y)", "sum(log(row_sum(teacher * right_words)))");
  s.table("likelihood", "P(y)", "exp(log_likelihood)");
  s.step({"exposure",
          {"노출 편향", "Exposure bias"},
          {"학습 때의 앞부분은 데이터의 분포에서, 쓸 때의 앞부분은 모델의 분포에서 나옵니다. 한 "
           "스텝에 "
           "벗어날 확률이 ε이면 T스텝 안에 벗어날 확률은 1 - (1 - ε)^T로 커집니다.",
           "In training the prefix comes from the data, in use from the model. If one step goes "
           "astray with probability ε, within T steps it does with 1 - (1 - ε)^T."},
          "y_<t ~ data  |  ŷ_<t ~ model"});
  add_free(s);
  s.table("free_log_likelihood", "Σ_t log p_t(y_t)", "sum(log(row_sum(free * right_words)))");
}

void write(Sheet& s) {
  s.input("next", {{0, 0.4, 0.1, 0.5}, {0, 0.1, 0.8, 0.1}, {0, 0.1, 0.1, 0.8}, {0, 0.3, 0.1, 0.6}});
  s.constant("right_words", {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
  s.constant("shown", {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
  s.tell(write_story, write_student, write_math);
  Matrix right(2, 3);
  for (int64_t t = 0; t < 3; ++t) {
    right.at(0, t) = s.of("teacher").at(t, t + 1);
    right.at(1, t) = s.of("free").at(t, t + 1);
  }
  s.chart(Picture::Kind::bars, "right", right,
          {{"정답 단어에 준 확률", "Probability of the right word"},
           {"자리", "place"},
           {"확률", "probability"}},
          {s.in({"교사 강요", "teacher forcing"}), s.in({"스스로 달리기", "free running"})},
          {"1: I", "2: love", "3: cats"});
}

}  // namespace

const Topic& forcing_topic() {
  static constexpr Topic topic{.name = "forcing",
                               .title = {"교사 강요와 스스로 달리기: 배울 때와 쓸 때",
                                         "Teacher forcing and free running: learning and use"},
                               .inputs = kInputs,
                               .write = write};
  return topic;
}

}  // namespace jogak
