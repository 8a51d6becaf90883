#include "explain/topics/multihead_steps.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x",
     TopicInput::Kind::matrix,
     {"단어의 벡터, 너비는 마음대로", "the words' vectors, of any width"},
     "n,d"},
    {"w_q", TopicInput::Kind::matrix, {"쿼리 투영", "projection of queries"}, "d,d"},
    {"w_k", TopicInput::Kind::matrix, {"키 투영", "projection of keys"}, "d,d"},
    {"w_v", TopicInput::Kind::matrix, {"값 투영", "projection of values"}, "d,d"},
    {"w_o", TopicInput::Kind::matrix, {"출력 투영", "output projection"}, "d,d"},
    {"heads",
     TopicInput::Kind::divisor,
     {"헤드 수, 너비의 약수", "how many heads, a divisor of the width"},
     "d",
     1,
     64},
};

// Ones on a diagonal that begins in column `shift`, halves on the next one: a projection of any
// width that can be followed by eye.
Matrix projection(int64_t width, int64_t shift) {
  Matrix out(width, width);
  for (int64_t i = 0; i < width; ++i) {
    out.at(i, (i + shift) % width) = 1;
    if (width > 1) out.at(i, (i + shift + 1) % width) = 0.5;
  }
  return out;
}

// A width for the example that the heads divide.
int64_t example_width(Sheet& s) {
  const auto heads = s.request().inputs.find("heads");
  constexpr int64_t kUsual = 4;
  if (heads == s.request().inputs.end()) return kUsual;
  const auto count = static_cast<int64_t>(heads->second.at(0, 0));
  return count == 1 || count == 2 || count == kUsual ? kUsual : 2 * count;
}

HeadPlan read(Sheet& s) {
  const Parts words = s.request().words.empty() ? Parts{"I", "love", "cats"} : s.request().words;
  const int64_t width = s.input("x", word_vectors(words, example_width(s))).columns;
  s.input("w_q", projection(width, 0));
  s.input("w_k", projection(width, 1));
  s.input("w_v", projection(width, 2));
  s.input("w_o", projection(width, 3));
  HeadPlan out;
  out.heads = s.integer("heads", width % 2 == 0 ? 2 : 1);
  out.tokens = s.words(s.of("x").rows, words);
  out.width = width;
  ensure<UsageError>(width % out.heads == 0, "multihead: heads: found ", out.heads,
                     ", wanted a divisor of the width ", width);
  return out;
}

void write(Sheet& s) {
  const HeadPlan plan = read(s);
  s.tell(write_multihead_story, write_multihead_steps, write_multihead_math, plan);
  const Words key{"키(보이는 쪽)", "key (the one looked at)"},
      query{"쿼리(보는 쪽)", "query (the one that looks)"};
  for (int64_t h = 1; h <= plan.shown(); ++h) {
    Picture& picture = s.heatmap(plan.name("weights", h), s.of(plan.name("weights", h)),
                                 {{"헤드 {0}의 가중치", "Weights of head {0}"}, key, query},
                                 plan.tokens, plan.tokens);
    picture.title = filled(picture.title, {std::to_string(h)});
  }
}

}  // namespace

const Topic& multihead_topic() {
  static constexpr Topic topic{.name = "multihead",
                               .title = {"멀티헤드 어텐션: 나누고, 보고, 잇고, 섞기",
                                         "Multi-head attention: split, attend, join, project"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write,
                               .takes_words = true};
  return topic;
}

}  // namespace jogak
