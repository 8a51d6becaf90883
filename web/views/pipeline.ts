// Pipeline: this model's steps as a diagram. Click one, or walk with the arrow keys: its formula,
// its shape, the real numbers, what came before and what comes next.
import {Card, Inspection, postJson, postText} from "../api";
import {button, select} from "../controls";
import {h, replace} from "../dom";
import {Heat} from "../heat";
import {inputOf, inputPanel} from "../input";
import {Context, Place, View} from "../view";
import {number, visible, w} from "../words";

interface Step {
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
interface Steps {
  tokens?: string[];
  source_tokens?: string[];
  target_tokens?: string[];
  token: number;
  steps: Step[];
}

interface Role {
  title: string;
  formula: string;
  text: string;
  lesson?: string;
  tone: string;
}
function roleOf(role: string, model: Card): Role {
  const norm = model.norm;
  const all: Record<string, Role> = {
    embedding: {
      title: w("임베딩", "embedding"),
      formula: "e = E[id]",
      tone: "in",
      lesson: "sentence",
      text: w(
          "토큰의 번호로 표에서 행 하나를 찾습니다. 그림은 조각마다, 시계열은 구간마다 벡터 하나입니다.",
          "The token's number finds a row of a table. Of an image each patch becomes a vector, of a series each stretch.")
    },
    positions: {
      title: w("위치", "positions"),
      tone: "in",
      lesson: "positions",
      formula: model.positions === "rotary" ? "q, k → R(p)·q, R(p)·k" :
          model.positions === "alibi"       ? "score + slope·place" :
                                              "x = e + p",
      text: w("토큰이 어디에 있는지 알립니다.", "Tells the token where it stands.")
    },
    norm: {
      title: norm,
      tone: "norm",
      lesson: norm === "BatchNorm" ? "batchnorm" : "layernorm",
      formula: norm === "RMSNorm" ? "y = x / √(mean(x²) + ε) · γ" :
                                    "y = (x − μ) / √(σ² + ε) · γ + β",
      text: w("값의 크기를 고르게 합니다.", "Brings the values to an even size.")
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
      text: w("더 넓은 벡터로 펴고 굽힙니다.", "Spreads into a wider vector, and bends.")
    },
    gated: {
      title: w("문", "gate"),
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
      lesson: "block",
      text: w("다음 층이 받는 것.", "What the next layer gets.")
    },
    head: {
      title: w("출력", "output"),
      formula: "logits = x·W + b",
      tone: "in",
      lesson: "softmax",
      text:
          w("답마다 점수 하나. softmax가 확률로 만듭니다.",
            "A score for each answer; softmax makes probabilities of them.")
    },
  };
  return all[role] ?? {title: role, formula: "", tone: "in", text: ""};
}

const shapeText = (shape: number[]): string => `[${shape.join(", ")}]`;

function drawBoxes(
    context: Context, steps: Step[], at: number, pick: (i: number) => void): HTMLElement {
  const model = context.model as Card, here = steps[at];
  const two = steps.some((step) => step.source);
  const lane = (source: boolean, title: string) => {
    const list = h("div", {class: "lane"}, two ? h("h3", {}, title) : null);
    let group: HTMLElement|null = null, layer = -2;
    steps.forEach((step, i) => {
      if (two && step.source !== source) return;
      if (step.layer !== layer) {
        layer = step.layer;
        group = null;
        if (layer >= 0) {
          const open = here.layer === layer && (!two || here.source === source);
          group =
              h("div", {class: open ? "layer open" : "layer"},
                h("button", {
                  type: "button",
                  class: "plain",
                  "aria-expanded": String(open),
                  click: () => pick(i)
                },
                  `${w("층", "Layer")} ${layer}`));
          list.append(group);
          if (!open) group.dataset.shut = "1";
        }
      }
      if (group?.dataset.shut) return;
      const role = roleOf(step.role, model);
      const box =
          h("button", {
            type: "button",
            class: `box ${role.tone}`,
            "aria-current": i === at ? "step" : null,
            click: () => pick(i)
          },
            h("span", {}, role.title), h("span", {class: "mono shape"}, shapeText(step.shape)));
      (group ?? list).append(box);
    });
    return list;
  };
  return h(
      "div", {class: two ? "diagram two-lanes" : "diagram"},
      two ? lane(true, w("인코더", "Encoder")) : null, lane(false, w("디코더", "Decoder")));
}

function numbers(step: Step): HTMLElement {
  const most = Math.max(...step.values.flat().map((x) => Math.abs(x)), 1e-12);
  const weights = step.role === "weights";
  return new Heat({
           values: step.values,
           title: step.name,
           xTitle: weights ? w("키", "key") : w("차원", "dimension"),
           yTitle: w("헤드", "head"),
           rows: step.values.map(
               (_, i) => (step.values.length > 1 ? `${w("헤드", "head")} ${i}` : "")),
           columns: step.values[0]?.map((_, i) => String(i)) ?? [],
           low: weights ? 0 : -most,
           high: weights ? Math.max(most, 1e-9) : most,
           diverging: !weights,
           most: 34,
         })
      .element;
}

function drawStep(
    context: Context, data: Steps, at: number, pick: (i: number) => void): HTMLElement {
  const step = data.steps[at], model = context.model as Card, role = roleOf(step.role, model);
  const near = (i: number, text: string, mark: string) => {
    const other = data.steps[i];
    const control = button("", () => pick(i));
    control.disabled = !other;
    replace(control, text, other ? ` ${mark} ${roleOf(other.role, model).title}` : "");
    return control;
  };
  return h(
      "section", {class: "card stack tight", id: "step", "data-step": step.name},
      h("div", {class: "row"}, h("h2", {}, role.title),
        h("span", {class: "mono small soft"}, step.name)),
      h("p", {}, role.text), h("div", {class: "formula"}, role.formula),
      h("table", {},
        h("tbody", {},
          h("tr", {}, h("th", {scope: "row"}, w("모양", "shape")),
            h("td", {class: "mono"}, shapeText(step.shape))),
          h("tr", {}, h("th", {scope: "row"}, w("평균 ± 표준편차", "mean ± deviation")),
            h("td", {class: "mono"}, `${number(step.mean)} ± ${number(step.std)}`)),
          h("tr", {}, h("th", {scope: "row"}, w("최소 … 최대", "smallest … largest")),
            h("td", {class: "mono"}, `${number(step.min)} … ${number(step.max)}`)))),
      h("h3", {}, w("고른 토큰의 수", "Numbers of the chosen token")), numbers(step),
      h("div", {class: "scroll"},
        h("p", {class: "mono small", id: "numbers"}, step.values[0]?.map(number).join("  ") ?? "")),
      h("div", {class: "row"}, near(at - 1, w("앞", "Before"), "←"),
        near(at + 1, w("다음", "Next"), "→"),
        role.lesson ? h("a", {href: `#/lessons?topic=${role.lesson}`}, w("수업", "Lesson")) :
                      null));
}

export const pipeline: View = {
  id: "pipeline",
  group: "look",
  title: () => w("흐름", "Pipeline"),
  lead: () =>
      w("입력이 이 모델을 지나는 길. ← → 키로 한 스텝씩 따라갑니다.",
        "The way of an input through this model. Walk it with the ← and → keys."),
  needsModel: true,
  render: async (context) => {
    const {state, root} = context, model = context.model as Card;
    const path = `/api/models/${encodeURIComponent(model.id)}`;
    const place = new Place(h("div"), context.signal);
    let data: Steps|null = null, walk: (to: number) => void = () => undefined;
    const show = () => place.fill(async (signal) => {
      const got = await postJson<Steps>(
          `${path}/steps`, {input: await inputOf(context), token: state.number("token", 0)},
          signal);
      data = got;
      const names = got.target_tokens ?? got.tokens ?? got.source_tokens ?? [];
      const boxes = h("div"), detail = h("div", {class: "stack sticky"});
      walk = (to: number) => {
        const at = Math.max(0, Math.min(got.steps.length - 1, to));
        state.set({step: at});
        replace(boxes, drawBoxes(context, got.steps, at, walk));
        replace(detail, drawStep(context, got, at, walk));
        const current = boxes.querySelector("[aria-current]");
        current?.scrollIntoView({block: "nearest"});
      };
      walk(state.number("step", 0));
      const tokens = names.length > 0 ?
          select(
              w("토큰", "Token"),
              names.slice(0, 512).map(
                  (token, i) => ({value: String(i), text: `${i} ${visible(token)}`})),
              String(state.number("token", 0)),
              (value) => {
                state.set({token: Number(value)});
                void show();
              }) :
          null;
      return h(
          "div", {class: "stack"}, h("div", {class: "row"}, tokens),
          h("div", {class: "split left walk"}, boxes, detail));
    });
    window.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement ||
          event.target instanceof HTMLSelectElement || event.target instanceof HTMLCanvasElement;
      if (!data || typing || event.altKey || event.ctrlKey || event.metaKey) return;
      const step = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10}[event.key];
      if (step === undefined) return;
      event.preventDefault();
      walk(state.number("step", 0) + step);
    }, {signal: context.signal});
    root.append(await inputPanel(context, () => void show()), place.element);
    const asked = async (what: string) =>
        ({what, input: await inputOf(context), lang: context.lang});
    context.exports({
      name: `pipeline-${model.id}`,
      json: async () => postJson<Inspection>(`${path}/inspect`, await asked("trace")),
      svg: async () => postText(`${path}/inspect`, {...(await asked("shapes")), form: "svg"})
    });
    await show();
  },
};
