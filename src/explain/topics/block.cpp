#include "explain/sheet.h"

namespace jogak {
namespace {

constexpr TopicInput kInputs[] = {
    {"image",
     TopicInput::Kind::matrix,
     {"4×4 그림의 밝기", "brightness of a picture, 4 by 4"},
     "4,4"},
};

const Parts kPatches = {"p1", "p2", "p3", "p4"};

TableStyle by_patch(int64_t lines = 0) { return {.rows = kPatches, .lines = lines}; }
TableStyle square(int64_t lines = 0) {
  return {.rows = kPatches, .columns = kPatches, .lines = lines};
}

void add_patches(Sheet& s) {
  s.show("image", s.in({"그림", "image"}));
  s.table(
      "x", "X",
      "stack(concat(image[0:1, 0:2], image[1:2, 0:2]), concat(image[0:1, 2:4], image[1:2, 2:4]), "
      "concat(image[2:3, 0:2], image[3:4, 0:2]), concat(image[2:3, 2:4], image[3:4, 2:4]))",
      by_patch());
}

// (y - mean) / sqrt(variance + eps) of each row.
void add_norm(Sheet& s, const std::string& name, const std::string& caption,
              const std::string& of) {
  s.table(name, caption,
          "(" + of + " - row_mean(" + of + ")) / sqrt(row_mean((" + of + " - row_mean(" + of +
              ")) ** 2) + 1e-05)",
          by_patch());
}

void add_attention(Sheet& s) {
  s.table("weights", "A", "softmax(x @ x.T / sqrt(4))", square());
  s.table("attended", "A·X", "weights @ x", by_patch(2));
}

void add_feed_forward(Sheet& s) {
  s.show("w_1", "W_1");
  s.show("w_2", "W_2");
  s.table("wide", "ReLU(Z·W_1)", "relu(z @ w_1)", by_patch(2));
  s.table("narrow", "ReLU(Z·W_1)·W_2", "wide @ w_2", by_patch(2));
}

void write_story(Sheet& s) {
  s.step(
      {"puzzle",
       {"조각 그림 맞추기", "A jigsaw puzzle"},
       {"사진을 네 조각으로 잘랐습니다. 조각 하나만 보아서는 고양이 귀인지 산봉우리인지 알 수 "
        "없습니다.",
        "A photograph is cut into four pieces. From one piece alone nobody can tell the ear of a "
        "cat from a mountain top."}});
  add_patches(s);
  s.step(
      {"talk",
       {"조각끼리 이야기하기", "The pieces talk"},
       {"조각들이 서로에게 묻습니다. '네 옆에는 무엇이 있니?' 닮은 조각의 말에 더 귀를 기울이고, "
        "들은 것을 자기가 본 것에 보탭니다. 처음 본 것을 잊지 않으려고 더하는 것입니다. 그리고 "
        "목소리 크기를 고르게 맞춥니다.",
        "The pieces ask one another: what is next to you? Each listens most to those like itself "
        "and adds what it hears to what it saw, so that the first sight is not lost. Then all "
        "voices are set to the same loudness."}});
  add_attention(s);
  s.table("sum", "X + A·X", "x + attended", by_patch());
  add_norm(s, "z", "Z", "sum");
  s.step(
      {"think",
       {"저마다 혼자 생각하기", "Each thinks for itself"},
       {"이제 조각마다 들은 것을 혼자 곰곰이 생각합니다. 생각을 넓게 펼쳤다가 쓸모 있는 것만 남겨 "
        "추리고, 다시 자기 것에 더한 뒤 목소리를 맞춥니다. 이것이 한 층이고, 이런 층을 여러 번 "
        "거치면 조각들은 함께 고양이를 봅니다.",
        "Now each piece ponders what it heard: it spreads its thoughts out, keeps the useful "
        "ones, adds them to its own and sets its voice again. That is one layer. After several, "
        "the pieces together see the cat."}});
  add_feed_forward(s);
  s.table("sum_again", "Z + FFN(Z)", "z + narrow", by_patch());
  add_norm(s, "output", s.in({"출력", "output"}), "sum_again");
}

void write_student(Sheet& s) {
  s.step(
      {"patches",
       {"그림을 조각으로", "Picture into patches"},
       {"4×4 그림을 2×2 조각 네 개로 자르고 조각마다 한 줄로 폅니다. 조각이 곧 토큰입니다.",
        "A 4×4 picture is cut into four patches of 2×2, each laid out as one row. Patches are the "
        "tokens."}});
  s.shape("[4,4] -> [4,4]");
  add_patches(s);
  s.step({"attend",
          {"보기: 셀프 어텐션", "Attend"},
          {"조각마다 모든 조각을 봅니다. 한눈에 볼 수 있도록 투영 없이 Q = K = V = X로 둡니다.",
           "Every patch looks at every patch. To keep it in sight there are no projections here: "
           "Q = K = V = X."},
          "A = softmax(X·Xᵀ / √d),  H = A·X"});
  s.shape("[4,4]·[4,4] -> [4,4]");
  s.table("scores", "X·Xᵀ", "x @ x.T", square(2));
  s.table("weights", "A", "softmax(scores / sqrt(4))", square());
  s.table("attended", "A·X", "weights @ x", by_patch(2));
  s.step({"add_norm",
          {"더하고 정규화", "Add and norm"},
          {"본 것을 원래 벡터에 더합니다(잔차). 그런 다음 줄마다 평균 0, 분산 1로 맞춥니다. 분산은 "
           "n으로 "
           "나눕니다.",
           "What was seen is added to the vector itself (the residual). Then every row is set to "
           "mean 0 and variance 1; the variance is divided by n."},
          "Z = norm(X + H)"});
  s.table("sum", "X + A·X", "x + attended", by_patch(2));
  s.table("means", s.in({"평균", "mean"}), "row_mean(sum)", by_patch(1));
  s.table("variances", s.in({"분산", "variance"}), "row_mean((sum - means) ** 2)", by_patch(1));
  s.table("z", "Z", "(sum - means) / sqrt(variances + 1e-05)", by_patch(2));
  s.step({"feed_forward",
          {"피드포워드: 넓히고, 구부리고, 좁히기", "Feed-forward: widen, bend, narrow"},
          {"조각마다 따로, 같은 가중치로 계산합니다. 너비 4를 6으로 넓히고, 음수를 0으로 만들고, "
           "다시 4로 "
           "좁힙니다.",
           "For each patch on its own, with the same weights: 4 is widened to 6, negatives become "
           "0, and 6 is narrowed to 4 again."},
          "FFN(Z) = ReLU(Z·W_1)·W_2"});
  s.shape("[4,4]·[4,6] -> [4,6]·[6,4] -> [4,4]");
  add_feed_forward(s);
  s.step(
      {"add_norm_again",
       {"다시 더하고 정규화", "Add and norm again"},
       {"한 블록이 끝났습니다. 들어온 것과 나간 것의 모양이 같으므로 얼마든지 쌓을 수 있습니다.",
        "The block is done. What goes out has the shape of what came in, so blocks can be stacked "
        "at will."},
       "output = norm(Z + FFN(Z))"});
  s.shape("[4,4] -> [4,4]");
  s.table("sum_again", "Z + FFN(Z)", "z + narrow", by_patch(2));
  add_norm(s, "output", s.in({"출력", "output"}), "sum_again");
}

void write_math(Sheet& s) {
  s.step(
      {"block",
       {"블록의 정의", "The block"},
       {"어텐션만이 토큰을 섞고, 나머지는 모두 토큰마다 따로 작용합니다. 블록은 토큰의 순서 바꿈과 "
        "교환됩니다. 그래서 조각의 자리는 위치 인코딩으로 알려 주어야 합니다.",
        "Attention alone mixes tokens; all else acts on each token by itself. The block commutes "
        "with permutations of the tokens, which is why patches need positions."},
       "Z = LN(X + MHA(X)),  Y = LN(Z + ReLU(Z·W_1)·W_2)"});
  s.shape("X [N,d]  A [N,N]  W_1 [d,4d]  W_2 [4d,d]");
  add_patches(s);
  add_attention(s);
  s.table("sum", "X + A·X", "x + attended", by_patch());
  add_norm(s, "z", "Z", "sum");
  add_feed_forward(s);
  s.table("sum_again", "Z + FFN(Z)", "z + narrow", by_patch());
  add_norm(s, "output", "Y", "sum_again");
  s.step({"gradient",
          {"잔차와 기울기", "Residual and gradient"},
          {"잔차 덕분에 야코비 행렬에 항등 행렬이 더해져 기울기가 끊기지 않고 지나갑니다. 정규화를 "
           "앞에 "
           "두면(pre) 그 길에 아무것도 놓이지 않습니다.",
           "The residual adds the identity to the Jacobian, and gradients pass unbroken. With the "
           "norm placed before (pre) nothing at all stands in that way."},
          "∂(X + F(X))/∂X = I + ∂F/∂X"});
  s.step({"count",
          {"매개변수와 계산량", "Parameters and work"},
          {"블록 하나의 가중치는 어텐션에 4d², 피드포워드에 8d²(너비 4d일 때)이므로 모두 "
           "12d²입니다. d = "
           "768이면 약 708만 개입니다.",
           "One block has 4d² weights in attention and 8d² in the feed-forward (width 4d): 12d² in "
           "all, some 7.08 million at d = 768."},
          "4·d² + 2·d·4d = 12·d²"});
  s.show("d", "d");
  s.table("parameters", "12·d²", "12 * d ** 2");
}

void write(Sheet& s) {
  s.input("image",
          {{0.9, 0.8, 0.1, 0.2}, {0.7, 0.9, 0.2, 0.1}, {0.1, 0.3, 0.8, 0.9}, {0.2, 0.1, 0.9, 0.6}});
  s.constant(
      "w_1",
      {{1, 0, -1, 0, 0.5, 0}, {0, 1, 0, -1, 0, 0.5}, {-1, 0, 1, 0, 0.5, 0}, {0, -1, 0, 1, 0, 0.5}});
  s.constant("w_2", {{0.5, 0, 0, 0},
                     {0, 0.5, 0, 0},
                     {0, 0, 0.5, 0},
                     {0, 0, 0, 0.5},
                     {0.25, 0, 0.25, 0},
                     {0, 0.25, 0, 0.25}});
  s.constant("d", {{768}});
  s.tell(write_story, write_student, write_math);
  const Words patch{"조각", "patch"};
  s.heatmap("weights", s.of("weights"),
            {{"조각이 조각을 보는 가중치", "How patches look at patches"}, patch, patch}, kPatches,
            kPatches);
}

}  // namespace

const Topic& block_topic() {
  static constexpr Topic topic{.name = "encoder-block",
                               .title = {"인코더 블록: 조각들이 서로 보고, 저마다 생각하기",
                                         "Encoder block: patches look at each other, then think"},
                               .inputs = kInputs,
                               .takes_transpose = true,
                               .write = write};
  return topic;
}

}  // namespace jogak
