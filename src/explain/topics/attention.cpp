#include "explain/topics/attention_code.h"
#include "explain/topics/attention_steps.h"
#include "explain/topics/attention_words.h"

namespace jogak {
namespace {

namespace words = attention_words;
namespace code = attention_code;

using Numbers = AttentionNumbers;

void check_shapes(const Numbers& n, bool causal) {
  ensure<UsageError>(n.k.columns == n.q.columns, "attention: k: found ", n.k.columns,
                     " columns, wanted ", n.q.columns, " as in q");
  ensure<UsageError>(n.v.rows == n.k.rows, "attention: v: found ", n.v.rows, " rows, wanted ",
                     n.k.rows, " as in k");
  ensure<UsageError>(!causal || n.q.rows == n.k.rows, "attention: causal mask: found ", n.q.rows,
                     " queries and ", n.k.rows, " keys, wanted as many of each");
}

Matrix read_mask(const ExplainRequest& request, const Numbers& n) {
  Matrix mask;
  if (const auto given = request.inputs.find("mask"); given != request.inputs.end()) {
    mask = given->second;
    ensure<UsageError>(mask.rows == n.q.rows && mask.columns == n.k.rows,
                       "attention: mask: found shape [", mask.rows, ",", mask.columns,
                       "], wanted [", n.q.rows, ",", n.k.rows, "]");
    for (const double x : mask.values)
      ensure<UsageError>(x == 0 || x == 1, "attention: mask: found ", x, ", wanted 0 or 1");
  }
  if (!request.causal) return mask;
  const Matrix causal = plain::causal_mask(n.q.rows);
  return mask.size() ? plain::times(mask, causal) : causal;
}

Numbers read(const ExplainRequest& request, Lesson& lesson) {
  int given = 0;
  for (const char* name : {"q", "k", "v"}) given += request.inputs.count(name) > 0;
  for (const char* name : {"q", "k", "v"})
    ensure<UsageError>(given == 0 || request.inputs.count(name), "attention: ", name,
                       ": found nothing, wanted a matrix: q, k and v are given together");
  Numbers n;
  n.q = input_or(request, lesson, "q", {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 0, 0}});
  n.k = input_or(request, lesson, "k", {{1, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, 1, 0}});
  n.v = input_or(request, lesson, "v", {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});
  check_shapes(n, request.causal);
  n.mask = read_mask(request, n);
  if (n.mask.size()) lesson.inputs["mask"] = n.mask;
  n.a = plain::attention(n.q, n.k, n.v, n.mask);
  n.queries = labels("q", n.q.rows);
  n.keys = labels("k", n.k.rows);
  return n;
}

void add_math(Lesson& lesson, const Numbers& n) {
  Step& definition = add_step(lesson, words::kDefinition);
  definition.shape =
      text_of("Q [", n.q.rows, ",", n.q.columns, "]  K [", n.k.rows, ",", n.k.columns, "]  V [",
              n.v.rows, ",", n.v.columns, "]  O [", n.q.rows, ",", n.v.columns, "]");
  definition.tables = given_tables(n);
  if (n.mask.size()) definition.tables.push_back(scores_table(n, "mask", "mask", n.mask));
  definition.tables.push_back(scores_table(n, "weights", "A", n.a.weights));
  definition.tables.push_back(output_table(n, "output", "O", n.a.output));
  add_step(lesson, words::kVariance);
  const auto d = plain::attention_gradients(n.q, n.k, n.v, n.a, n.a.output);
  add_step(lesson, words::kGradient).tables = {{"d_v", "∂L/∂V", d.v, labels("v", n.v.rows), {}},
                                               scores_table(n, "d_weights", "∂L/∂A", d.weights),
                                               scores_table(n, "d_scores", "∂L/∂S", d.scores),
                                               output_table(n, "d_q", "∂L/∂Q", d.q),
                                               {"d_k", "∂L/∂K", d.k, n.keys, {}}};
}

void set_attention_code(Lesson& lesson, const Numbers& n) {
  std::vector<CodeBlock> blocks = {code::kInputs, code::kFunctions};
  if (lesson.level == Level::math) {
    blocks.push_back(n.mask.size() ? code::kMask : code::kNoMask);
    blocks.push_back(code::kMath);
  } else {
    blocks.push_back(code::kScores);
    if (n.mask.size()) blocks.insert(blocks.end(), {code::kMask, code::kMasked});
    blocks.push_back(code::kOutput);
    if (n.mask.size())
      blocks.push_back(code::kWithoutMask);
    else if (n.q.rows == n.k.rows)
      blocks.push_back(code::kWithCausal);
    blocks.push_back(code::kEmptyRow);
    blocks.push_back(code::kWhy);
  }
  set_code(lesson, blocks,
           {python_matrix(n.q), python_matrix(n.k), python_matrix(n.v), python_matrix(n.mask)});
}

void build(const ExplainRequest& request, Lesson& lesson) {
  const Numbers n = read(request, lesson);
  Picture picture{Picture::Kind::heatmap,
                  "weights",
                  std::string(words::kPicture(lesson.lang)),
                  std::string(words::kKey(lesson.lang)),
                  std::string(words::kQuery(lesson.lang)),
                  n.a.weights,
                  n.queries,
                  n.keys};
  lesson.pictures = {request.transpose ? turned(picture) : picture};
  set_attention_code(lesson, n);
  if (lesson.level == Level::math) return add_math(lesson, n);
  if (lesson.level == Level::story) {
    add_step(lesson, words::kStoryLibrary).tables = given_tables(n);
    add_step(lesson, words::kStoryMatch).tables = {
        scores_table(n, "weights", "softmax(Q·Kᵀ / √d_k)", n.a.weights)};
    add_step(lesson, words::kStoryMix).tables = {
        output_table(n, "output", "weights·V", n.a.output)};
    return;
  }
  add_attention_steps(lesson, n);
}

constexpr TopicInput kInputs[] = {
    {"q", TopicInput::Kind::matrix, {"질의, 한 행에 토큰 하나", "queries, one token a row"}},
    {"k", TopicInput::Kind::matrix, {"키, q와 같은 너비", "keys, as wide as q"}},
    {"v", TopicInput::Kind::matrix, {"값, k와 같은 행 수", "values, as many rows as k"}},
    {"mask", TopicInput::Kind::matrix, {"1은 보임, 0은 가림", "1 visible, 0 hidden"}},
};

}  // namespace

const Topic& attention_topic() {
  static constexpr Topic topic{"attention", words::kTitle, kInputs, true, true, build};
  return topic;
}

}  // namespace jogak
