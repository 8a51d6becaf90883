// The steps of a model in words: what each is called, its formula, what it does, where to read on.
import {Card} from "./api";
import {w} from "./words";

export interface Step {
  name: string;
  role: string;
  layer: number;
  source: boolean;
  shape: number[];
  mean: number;
  std: number;
  min: number;
  max: number;
  values: number[][];
}
export interface Role {
  title: string;
  formula: string;
  text: string;
  lesson?: string;
  tone: string;
}
function outputOf(model: Card): Role {
  const title = w("출력", "output");
  if (model.task === "forecast")
    return {
      title,
      formula: "ŷ = x·W + b",
      tone: "in",
      text: w("앞으로 올 값입니다.", "The values to come.")
    };
  if (model.task === "embed" || model.task === "match")
    return {
      title,
      formula: "y = x·W",
      tone: "in",
      lesson: "dot",
      text: w("입력 전체를 나타내는 벡터입니다.", "The vector that stands for the whole input.")
    };
  return {
    title,
    formula: "logits = x·W + b",
    tone: "in",
    lesson: "softmax",
    text: model.task === "classify" || model.task === "tag" ?
        w("레이블마다 점수 하나. 소프트맥스가 확률로 만듭니다.",
          "A score for each label; softmax makes probabilities of them.") :
        w("어휘의 토큰마다 점수 하나. 소프트맥스가 확률로 만듭니다.",
          "A score for each token of the vocabulary; softmax makes probabilities of them.")
  };
}
function roleOf(role: string, model: Card, reads = model.reads): Role {
  const norm = model.norm;
  const all: Record<string, Role> = {
    embedding: {
      title: w("임베딩", "embedding"),
      formula: reads === "text" ? "e = E[id]" : "e = W·patch + b",
      tone: "in",
      lesson: "model",
      text: {
        text:
            w("토큰의 번호로 표에서 행 하나를 찾습니다.",
              "The token's number finds a row of a table."),
        image: w(
            "그림의 패치마다 벡터 하나를 만듭니다.", "Makes a vector of each patch of the image."),
        series:
            w("시계열의 패치마다 벡터 하나를 만듭니다.",
              "Makes a vector of each patch of the series."),
      }[reads]
    },
    positions: {
      title: w("위치", "positions"),
      tone: "in",
      lesson: "positions",
      formula: ({
                 rotary: "q, k → R(p)·q, R(p)·k",
                 alibi: "score − slope·distance",
                 relative: "score + b(distance)",
               })[model.positions] ??
          "x = e + p",
      text: w("토큰이 어디에 있는지 알립니다.", "Tells the token where it stands.")
    },
    norm: {
      title: norm,
      tone: "norm",
      lesson: norm === "BatchNorm" ? "batchnorm" : "layernorm",
      formula: norm === "RMSNorm" ? "y = x / √(mean(x²) + ε) · γ" :
                                    "y = (x − μ) / √(σ² + ε) · γ + β",
      text: norm === "BatchNorm" ? w("차원마다 값의 크기를 고르게 합니다.",
                                     "Brings the values of each dimension to an even size.") :
                                   w("토큰마다 값의 크기를 고르게 합니다.",
                                     "Brings the values of each token to an even size.")
    },
    project: {
      title: w("쿼리·키·값으로", "to query, key, value"),
      formula: "[q k v] = x·W + b",
      tone: "attention",
      lesson: "qkv",
      text:
          w("한 벡터에서 세 벡터를 만듭니다: 무엇을 찾는지, 무엇을 내놓는지, 무엇을 건네는지.",
            "Makes three vectors of one: what it seeks, what it offers, what it hands on.")
    },
    q: {
      title: w("쿼리", "query"),
      formula: "q = x·W_q",
      tone: "attention",
      lesson: "qkv",
      text: w("무엇을 찾는가, 헤드마다.", "What it looks for, head by head.")
    },
    k: {
      title: w("키", "key"),
      formula: "k = x·W_k",
      tone: "attention",
      lesson: "qkv",
      text: w("무엇으로 찾아지는가.", "What it is found by.")
    },
    v: {
      title: w("값", "value"),
      formula: "v = x·W_v",
      tone: "attention",
      lesson: "qkv",
      text: w("찾은 이에게 건네는 것.", "What it hands to those who find it.")
    },
    weights: {
      title: w("어텐션 가중치", "attention weights"),
      formula: "A = softmax(q·kᵀ / √d + mask)",
      tone: "attention",
      lesson: "attention",
      text:
          w("행마다 합이 1인 몫: 어디를 얼마나 보는지.",
            "Shares that sum to 1 in each row: where it looks, and how much.")
    },
    heads: {
      title: w("헤드의 결과", "what the heads read"),
      formula: "h = A·v",
      tone: "attention",
      lesson: "multihead",
      text:
          w("본 것들의 값을 몫대로 더합니다.", "Adds up the values it looked at, by their shares.")
    },
    mix: {
      title: w("헤드를 섞음", "heads mixed"),
      formula: "o = concat(h₁ … h_H)·W_o + b",
      tone: "attention",
      lesson: "multihead",
      text: w("헤드를 이어 붙여 섞습니다.", "Puts the heads side by side and mixes them.")
    },
    sum: {
      title: w("더하기", "add"),
      formula: "x + sublayer(x)",
      tone: "sum",
      lesson: "residual",
      text: w("들어온 값에 만든 것을 더합니다.", "Adds what was made to what came in.")
    },
    widen: {
      title: w("넓히기", "widen"),
      formula: "u = f(x·W₁ + b₁)",
      tone: "ffn",
      lesson: "feedforward",
      text:
          w("더 넓은 벡터로 펼치고, 비선형 함수 f를 거칩니다.",
            "Spreads into a wider vector and bends it by f.")
    },
    gated: {
      title: w("게이트", "gate"),
      formula: "u = f(x·W_g) ⊙ x·W_u",
      tone: "ffn",
      lesson: "feedforward",
      text:
          w("한쪽이 다른 쪽을 얼마나 지나게 할지 정합니다.",
            "One half says how much of the other passes.")
    },
    narrow: {
      title: w("좁히기", "narrow"),
      formula: "y = u·W₂ + b₂",
      tone: "ffn",
      lesson: "feedforward",
      text: w("다시 제 너비로.", "Back to its own width.")
    },
    layer: {
      title: w("층의 끝", "end of the layer"),
      formula: "x → x",
      tone: "sum",
      lesson: "encoder-block",
      text: w("다음 층이 받는 것.", "What the next layer gets.")
    },
    head: outputOf(model),
  };
  return all[role] ?? {title: role, formula: "", tone: "in", text: ""};
}

const attending = ["project", "q", "k", "v", "weights", "heads", "mix"];

// The parts of a layer begin with a word: its attentions and its feed-forward.
export function headingOf(steps: Step[], i: number): string {
  const kind = (step: Step|undefined) => !step                                 ? "" :
      attending.includes(step.role)                                            ? "attention" :
      step.role === "widen" || step.role === "gated" || step.role === "narrow" ? "ffn" :
                                                                                 "";
  const here = steps[i], own = kind(here), before = steps[i - 1];
  if (own === "" || here.layer < 0) return "";
  if (own === kind(before) && before.layer === here.layer) return "";
  if (own === "ffn") return w("피드포워드", "Feed-forward");
  return isCross(steps, i) ? w("크로스 어텐션", "Cross-attention") :
                             w("셀프 어텐션", "Self-attention");
}

// Of a decoder behind an encoder the second attention of a layer looks at the encoder's tokens.
function isCross(steps: Step[], i: number): boolean {
  const here = steps[i];
  return !here.source && steps.some((step) => step.source) && steps[0].source &&
      steps.slice(0, i).some(
          (step) => step.layer === here.layer && !step.source && step.role === "mix");
}

// One step in words: its role, and what its place among the others says of it.
export function wordsOf(steps: Step[], i: number, model: Card): Role {
  const step = steps[i], text = model.task === "match" && step.source;
  const role = roleOf(step.role, model, text ? "text" : model.reads);
  if (step.role === "project") {
    const last = (step.name.split(".").pop() ?? "").toLowerCase();
    const named = ["q", "k", "v"].filter((letter) => last.includes(letter));
    const made = named.length > 0 ? named : ["q", "k", "v"];
    const words = {q: w("쿼리", "query"), k: w("키", "key"), v: w("값", "value")};
    const list = made.map((letter) => words[letter as "q"]).join(w("·", ", "));
    const from = isCross(steps, i) && !made.includes("q") ? "m" : "x";  // m: what the encoder made
    return {
      ...role,
      title: w(`${list}${made.includes("v") ? "으로" : "로"}`, `to ${list}`),
      formula: `${made.length > 1 ? `[${made.join(" ")}]` : made[0]} = ${from}·W + b`,
      text: from === "m" ?
          w("인코더가 만든 m에서 만듭니다: 무엇으로 찾아지는지, 무엇을 건네는지.",
            "Made of m, what the encoder made: what it is found by, what it hands on.") :
          made.length > 1 ? role.text :
                            roleOf(made[0], model).text
    };
  }
  const earlier = (role: string) =>
      steps.slice(0, i).some((other) => other.role === role && other.source === step.source);
  if (step.role === "embedding" && earlier("positions") && earlier("embedding"))
    return {
      ...role,
      title: w("토큰 + 위치", "token + position"),
      formula: "x = e + p",
      lesson: "positions",
      text: w("첫 층이 받는 것입니다.", "What the first layer gets.")
    };
  return role;
}
