#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"x",
     TopicInput::Kind::matrix,
     {"행은 예, 열은 성분", "a row an example, a column a feature"},
     "n,d"},
};

void add_layer(Sheet& s, const Parts& rows, const Parts& columns) {
  s.table("layer_mean", "μ", "row_mean(x)", {rows});
  s.table("layer_variance", "σ²", "row_mean((x - layer_mean) ** 2)", {.rows = rows, .lines = 1});
  s.table("layer", "LayerNorm(x)", "(x - layer_mean) / sqrt(layer_variance + 0.00001)",
          {rows, columns});
}

void add_batch(Sheet& s, const Parts& rows, const Parts& columns) {
  s.table("batch_mean", "μ", "column_mean(x)", {{}, columns});
  s.table("batch_variance", "σ²", "column_mean((x - batch_mean) ** 2)",
          {.columns = columns, .lines = 1});
  s.table("batch", "BatchNorm(x)", "(x - batch_mean) / sqrt(batch_variance + 0.00001)",
          {rows, columns});
}

void add_padded(Sheet& s, Parts rows, const Parts& columns) {
  rows.push_back(s.in({"패딩", "padding"}));
  s.show("padding", s.in({"패딩", "padding"}), {{}, columns});
  s.table("padded", "[x; 0]", "stack(x, padding)", {rows, columns});
  s.table("padded_mean", "μ", "column_mean(padded)", {{}, columns});
  s.table("padded_variance", "σ²", "column_mean((padded - padded_mean) ** 2)",
          {.columns = columns, .lines = 0});
  s.table("padded_batch", "BatchNorm([x; 0])",
          "(padded - padded_mean) / sqrt(padded_variance + 0.00001)",
          {.rows = rows, .columns = columns, .lines = 1});
}

void add_alone(Sheet& s, const Parts& columns) {
  s.table("alone", "x_1", "x[0:1, :]", {.columns = columns, .lines = 0});
  s.table("alone_batch", "BatchNorm(x_1)",
          "(alone - column_mean(alone)) / sqrt(column_mean((alone - column_mean(alone)) ** 2) + "
          "0.00001)",
          {.columns = columns, .lines = 0});
  s.table("alone_layer", "LayerNorm(x_1)",
          "(alone - row_mean(alone)) / sqrt(row_mean((alone - row_mean(alone)) ** 2) + 0.00001)",
          {.columns = columns, .lines = 0});
}

void write_story(Sheet& s, const Parts& rows, const Parts& columns) {
  s.step(
      {"marks",
       {"시험 점수를 고르게", "Fair marks"},
       {"학생(행)마다 여러 과목(열)의 점수가 있습니다. 층 정규화는 한 학생의 과목들만 보고, 배치 "
        "정규화는 한 과목의 학생들만 봅니다.",
        "Every student (row) has marks in several subjects (columns). Layer normalisation looks "
        "at the subjects of one student, batch normalisation at the students of one subject."}});
  s.show("x", "X", {rows, columns});
  s.let("layer_mean", "row_mean(x)");
  s.let("layer_variance", "row_mean((x - layer_mean) ** 2)");
  s.table("layer", "LayerNorm(x)", "(x - layer_mean) / sqrt(layer_variance + 0.00001)",
          {rows, columns});
  s.let("batch_mean", "column_mean(x)");
  s.let("batch_variance", "column_mean((x - batch_mean) ** 2)");
  s.table("batch", "BatchNorm(x)", "(x - batch_mean) / sqrt(batch_variance + 0.00001)",
          {rows, columns});
  s.step(
      {"absent",
       {"빈자리와 혼자 보는 시험", "Empty seats, and an exam taken alone"},
       {"빈자리를 0점으로 채우면 배치 정규화에서는 모두의 성적이 바뀝니다. 혼자 시험을 보면 견줄 "
        "사람이 없어 모두 0이 됩니다. 문장은 길이가 제각각이고 글을 쓸 때는 한 문장뿐이므로, "
        "트랜스포머는 층 정규화를 씁니다.",
        "Fill empty seats with zeros and batch normalisation changes everybody's result; take the "
        "exam alone and all become 0, as there is nobody to compare with. Sentences differ in "
        "length and text is written one at a time: Transformers use layer normalisation."}});
  add_alone(s, columns);
}

void write_student(Sheet& s, const Parts& rows, const Parts& columns) {
  s.step({"input",
          {"같은 수, 두 가지 방법", "The same numbers, two ways"},
          {"행은 예(또는 토큰) 하나, 열은 성분 하나입니다. 두 방법은 같은 식을 쓰지만 평균을 내는 "
           "방향이 다릅니다.",
           "A row is one example (or token), a column one feature. Both ways use the same formula "
           "and differ in the direction of the mean."}});
  s.show("x", "X", {rows, columns});
  s.step({"layer",
          {"층 정규화: 가로로", "LayerNorm: along the row"},
          {"행마다 그 행의 평균과 분산만 씁니다. 다른 예가 무엇이든 상관없습니다.",
           "Each row uses its own mean and variance. What the other examples are does not matter."},
          "(x_ij - μ_i) / √(σ²_i + ε),  ε = 0.00001"});
  add_layer(s, rows, columns);
  s.step(
      {"batch",
       {"배치 정규화: 세로로", "BatchNorm: down the column"},
       {"열마다 배치 전체의 평균과 분산을 씁니다. 한 예의 결과가 함께 들어온 다른 예에 따라 "
        "달라집니다.",
        "Each column uses mean and variance of the whole batch: the result of one example depends "
        "on the others beside it."},
       "(x_ij - μ_j) / √(σ²_j + ε),  ε = 0.00001"});
  add_batch(s, rows, columns);
  s.step(
      {"padding",
       {"패딩 행이 섞이면", "When a row is padding"},
       {"짧은 문장을 0으로 채우고 그대로 평균을 내면 진짜 예들의 결과까지 바뀝니다. 그래서 배치 "
        "정규화는 패딩을 빼고 계산해야 합니다. 층 정규화는 그대로입니다.",
        "Fill a short sentence with zeros and take the mean over all: the results of the real rows "
        "change too. So batch normalisation must leave padding out. LayerNorm does not notice."},
       "μ_j = (1/(n+1))·(Σ_i x_ij + 0)"});
  add_padded(s, rows, columns);
  s.step({"alone",
          {"배치가 하나뿐이면", "A batch of one"},
          {"예가 하나면 열의 평균이 자기 자신이고 분산은 0이라 모두 0이 됩니다. 배울 것이 없으므로 "
           "jogak은 학습할 때 이런 배치를 거절합니다. 실행할 때는 학습하며 모아 둔 평균과 분산을 "
           "씁니다.",
           "With one example the mean of a column is the entry itself, the variance 0, and all "
           "becomes 0. Nothing can be learned from it, so jogak refuses such a batch in training; "
           "when running, means and variances kept from training are used."},
          "x_1j - μ_j = 0"});
  add_alone(s, columns);
  s.step({"running",
          {"모아 둔 평균", "Running mean"},
          {"배치마다 새 평균을 1할씩 섞어 둡니다. 0에서 시작해 한 번 섞은 값입니다.",
           "Every batch mixes in a tenth of its mean. Below, once, starting from 0."},
          "running ← 0.9·running + 0.1·μ"});
  s.table("running", s.in({"모아 둔 평균", "running"}), "0.9 * 0 + 0.1 * batch_mean",
          {{}, columns});
}

void write_math(Sheet& s, const Parts& rows, const Parts& columns) {
  s.step({"axes",
          {"축의 차이", "A matter of axes"},
          {"X ∈ R^(n×d). 층 정규화는 열벡터 1_d를 따라, 배치 정규화는 1_n을 따라 사영하고 크기를 "
           "맞춥니다. 앞은 행의 순서를 바꾸어도 동변이고 예마다 독립이지만, 뒤는 예들을 서로 "
           "묶습니다.",
           "X ∈ R^(n×d). LayerNorm projects away and rescales along 1_d, BatchNorm along 1_n. The "
           "first treats examples independently; the second couples them."},
          "LN: μ = (1/d)·X·1_d,   BN: μ = (1/n)·1_nᵀ·X"});
  s.show("x", "X", {rows, columns});
  add_layer(s, rows, columns);
  add_batch(s, rows, columns);
  s.step(
      {"coupling",
       {"예 사이의 기울기", "Gradients between examples"},
       {"배치 정규화에서는 ∂y_ij/∂x_kj ≠ 0 (i ≠ k)이어서 다른 예로도 기울기가 흐릅니다. 패딩 행도 "
        "마찬가지이고, n = 1이면 모든 미분이 0입니다.",
        "In BatchNorm ∂y_ij/∂x_kj ≠ 0 for i ≠ k: gradients flow into other examples, padding "
        "included, and at n = 1 all derivatives are 0."},
       "∂y_ij/∂x_kj = (δ_ik - 1/n - y_ij·y_kj/n) / √(σ²_j + ε)"});
  add_padded(s, rows, columns);
  add_alone(s, columns);
}

void write(Sheet& s) {
  const Matrix& x = s.input("x", {{2, 4, 6}, {1, 0, -1}, {3, 8, 10}});
  const Parts rows = labels("x", x.rows), columns = labels("f", x.columns);
  s.constant("padding", Matrix(1, x.columns));
  s.tell(write_story, write_student, write_math, rows, columns);
  s.heatmap(
      "layer", s.of("layer"),
      {{"층 정규화 (가로)", "LayerNorm (along rows)"}, {"성분", "feature"}, {"예", "example"}},
      rows, columns);
  s.heatmap(
      "batch", s.of("batch"),
      {{"배치 정규화 (세로)", "BatchNorm (down columns)"}, {"성분", "feature"}, {"예", "example"}},
      rows, columns);
}

}  // namespace

const Topic& batchnorm_topic() {
  static constexpr Topic topic{
      .name = "batchnorm",
      .title = {"배치 정규화와 층 정규화", "Batch normalisation against layer normalisation"},
      .inputs = kInputs,
      .takes_transpose = true,
      .write = write};
  return topic;
}

}  // namespace jogak
