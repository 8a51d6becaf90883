#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"a", TopicInput::Kind::matrix, {"왼쪽 행렬", "the left matrix"}, "n,d"},
    {"b",
     TopicInput::Kind::matrix,
     {"오른쪽 행렬, 행 수는 a의 열 수", "the right matrix, as many rows as a has columns"},
     "d,m"},
};

void show_inputs(Sheet& s) {
  s.show("a", "A");
  s.show("b", "B");
}

void write_story(Sheet& s) {
  s.step({"market",
          {"장보기", "Shopping"},
          {"A의 한 행은 한 사람의 장보기 목록(사과 몇 개, 빵 몇 개)이고, B의 한 열은 한 가게의 "
           "값(사과 "
           "값, 빵 값)이라고 합시다.",
           "Let a row of A be one person's shopping list (so many apples, so many loaves) and a "
           "column of B the prices of one shop (of an apple, of a loaf)."}});
  show_inputs(s);
  s.step({"bill",
          {"모든 사람, 모든 가게", "Everybody, every shop"},
          {"목록과 값을 차례로 곱해 더하면 계산서 한 장입니다. 행렬 곱은 모든 사람이 모든 가게에서 "
           "냈을 돈을 한꺼번에 적은 표입니다. 목록에 적힌 물건의 가짓수와 가게에 있는 물건의 "
           "가짓수가 같아야 셈이 됩니다.",
           "Multiply list and prices item by item and add: one bill. The matrix product is the "
           "table of all bills, everybody in every shop. It only works when the lists have as "
           "many items as the shops."}});
  s.table("product", "A·B", "a @ b");
}

void write_student(Sheet& s) {
  s.step(
      {"inputs",
       {"두 행렬", "Two matrices"},
       {"A의 열 수와 B의 행 수가 같아야 곱할 수 있습니다. 만나는 두 수가 사라지고 바깥의 두 수가 "
        "남습니다.",
        "A must have as many columns as B has rows. The two sizes that meet disappear, the two "
        "outer ones stay."},
       "[n,d]·[d,m] -> [n,m]"});
  s.product_shape("a", "b");
  show_inputs(s);
  s.step({"first_row",
          {"행 곱하기 열: 첫 행", "Row by column: the first row"},
          {"A의 첫 행을 B의 열마다 내적합니다. 행은 왼쪽에서 오른쪽으로, 열은 위에서 아래로 "
           "읽으며 짝지어 곱하고 더합니다.",
           "Take the dot product of A's first row with every column of B: read the row from left "
           "to right and the column from top to bottom, multiply in pairs, add."},
          "c_1j = Σ_k a_1k·b_kj"});
  s.table("first_row", "c_1", "a[0:1, :] @ b");
  s.step({"product",
          {"나머지 행도 똑같이", "The other rows alike"},
          {"행마다 되풀이하면 곱이 다 채워집니다. 칸 하나가 내적 하나입니다.",
           "Repeat this for every row. Each cell of the product is one dot product."},
          "c_ij = Σ_k a_ik·b_kj"});
  s.product_shape("a", "b");
  s.table("product", "A·B", "a @ b", {.row = -1});
  if (s.of("a").rows != s.of("b").columns) return;
  s.step({"order",
          {"순서를 바꾸면", "The other way round"},
          {"B·A도 계산할 수 있지만 보통은 다른 행렬이 나옵니다. 행렬 곱은 순서를 바꿀 수 없습니다.",
           "B·A can be computed too, but in general it is another matrix: the order matters."},
          "A·B ≠ B·A"});
  s.product_shape("b", "a");
  s.table("swapped", "B·A", "b @ a");
}

void write_math(Sheet& s) {
  s.step({"definition",
          {"정의", "Definition"},
          {"행렬 곱은 선형 사상의 합성입니다. 곱셈은 n·d·m번, 덧셈은 n·(d-1)·m번 합니다.",
           "The product is the composition of linear maps: n·d·m multiplications and n·(d-1)·m "
           "additions."},
          "(A·B)_ij = Σ_k A_ik·B_kj,  (A·B)·C = A·(B·C)"});
  s.product_shape("a", "b");
  show_inputs(s);
  s.table("product", "A·B", "a @ b");
  s.step({"mixture",
          {"행을 섞는 곱", "Rows as mixtures"},
          {"곱의 각 행은 B의 행들을 A의 행에 적힌 비율로 섞은 것입니다. 어텐션의 출력이 값 벡터의 "
           "가중 평균이라는 말이 이것입니다.",
           "Each row of the product mixes the rows of B in the amounts written in A's row. In just "
           "this sense the output of attention is a weighted mean of values."},
          "(A·B)_i = Σ_k A_ik·B_k"});
  s.table("mixture", "A_11·B_1", "a[0:1, 0:1] * b[0:1, :]");
  s.step({"gradient",
          {"기울기", "Gradient"},
          {"L을 A·B의 모든 칸의 합으로 두면 ∂L/∂C는 모두 1입니다. 뒤로 갈 때도 행렬 곱입니다.",
           "Let L be the sum of all entries of C = A·B, so that ∂L/∂C is all ones. Going back is "
           "matrix products again."},
          "∂L/∂A = ∂L/∂C·Bᵀ,  ∂L/∂B = Aᵀ·∂L/∂C"});
  s.table("ones", "∂L/∂C", "0 * product + 1", {.lines = 0});
  s.table("d_a", "∂L/∂A", "ones @ b.T");
  s.table("d_b", "∂L/∂B", "a.T @ ones");
}

void write(Sheet& s) {
  s.input("a", {{1, 2}, {3, 4}});
  s.input("b", {{5, 6}, {7, 8}});
  s.tell(write_story, write_student, write_math);
  s.heatmap("product", s.of("product"),
            {{"A·B", "A·B"}, {"B의 열", "column of B"}, {"A의 행", "row of A"}},
            labels("", s.of("a").rows), labels("", s.of("b").columns));
}

}  // namespace

const Topic& matmul_topic() {
  static constexpr Topic topic{.name = "matmul",
                               .title = {"행렬 곱: 행 곱하기 열", "Matrix product: row by column"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write};
  return topic;
}

}  // namespace jogak
