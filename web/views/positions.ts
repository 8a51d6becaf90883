// Positions: how a model knows order. Its own table or a formula; heat map, waves, similarity by
// distance; added to the tokens, or beside them.
import {Card, getJson, getText, Inspection, Picture, postJson, postText, query} from "../api";
import {chips, slider} from "../controls";
import {h, replace} from "../dom";
import {formula as written} from "../formula";
import {Heat, scaleBar} from "../heat";
import {inputOf} from "../input";
import {figure, pictureOf} from "../picture";
import {Context, Place, trouble, View} from "../view";
import {visible, w} from "../words";

type Kind = "model"|"sinusoidal"|"learned"|"rotary"|"alibi";

interface Products {
  tokens?: string[];
  target_tokens?: string[];
  names: string[];
  products: number[][][];
}

const about = (kind: string): string =>
    ({
      sinusoidal:
          w("PE(p, 2i) = sin(p / 10000^(2i/d)),  PE(p, 2i+1) = cos(같은 각)",
            "PE(p, 2i) = sin(p / 10000^(2i/d)),  PE(p, 2i+1) = cos(same angle)"),
      rotary:
          w("q와 k의 i번째 쌍을 각 p·θ^(−2i/d)만큼 돌립니다",
            "turns pair i of q and of k by the angle p·θ^(−2i/d)"),
      alibi:
          w("점수 − 기울기 × 거리, 헤드마다 다른 기울기",
            "score − slope × distance, one slope a head"),
      relative:
          w("점수 + 거리마다 학습한 값, 먼 거리는 값을 함께 씁니다",
            "score + a learned value for each distance; far ones share theirs"),
      learned:
          w("표의 행 하나가 위치 하나: 학습한 수입니다",
            "one row of a table for each position: numbers that were learned"),
    })[kind] ??
    "";

function sum(list: number[][][]): number[][] {
  return list[0].map(
      (row, i) => row.map((_, j) => list.reduce((total, one) => total + one[i][j], 0)));
}

function mixing(products: Products): HTMLElement {
  if (products.products.length === 0)
    return h(
        "p", {class: "note"},
        w("이 모델은 위치를 토큰에 더하지 않습니다.",
          "This model adds no positions to its tokens."));
  const [ee, ep, pe, pp] = products.products;
  const tokens = (products.target_tokens ?? products.tokens ?? []).slice(0, ee.length).map(visible);
  const names = tokens.length === ee.length ? tokens : ee.map((_, i) => String(i));
  const most = Math.max(...products.products.flat(2).map(Math.abs), 1e-9);
  const map = (values: number[][], title: string, note: string, high = most) =>
      h("div", {class: "stack tight"}, h("h3", {}, title), h("p", {class: "note"}, note),
        new Heat({
          values,
          rows: names,
          columns: names,
          low: -high,
          high,
          diverging: true,
          title,
          xTitle: w("키", "key"),
          yTitle: w("쿼리", "query"),
          most: 22
        }).element);
  const added = sum([ee, ep, pe, pp]), beside = sum([ee, pp]);
  const high = Math.max(...added.flat().map(Math.abs), ...beside.flat().map(Math.abs), 1e-9);
  return h(
      "div", {class: "stack"},
      h("div", {class: "four"}, map(ee, "e·e′", w("토큰과 토큰", "token with token")),
        map(ep, "e·p′", w("토큰과 위치", "token with position")),
        map(pe, "p·e′", w("위치와 토큰", "position with token")),
        map(pp, "p·p′", w("위치와 위치", "position with position"))),
      scaleBar(-most, most, true),
      h("div", {class: "two"},
        map(added, w("더하면: 넷의 합", "Added: the sum of all four"), "(e + p)·(e′ + p′)", high),
        map(beside, w("이어 붙이면: 둘의 합", "Concatenated: the sum of two"),
            "[e; p]·[e′; p′] = e·e′ + p·p′", high)),
      scaleBar(-high, high, true));
}

function draw(context: Context, shown: Inspection, kind: string): HTMLElement {
  const pictures = shown.pictures;
  const heat = pictures.filter((p: Picture) => p.kind === "heatmap"),
        rest = pictures.filter((p: Picture) => p.kind !== "heatmap");
  context.root.dataset.pictures = String(pictures.length);
  return h(
      "div", {class: "stack"}, h("div", {class: "formula"}, written(about(kind))),
      heat.map(pictureOf), h("div", {class: "two"}, rest.map(pictureOf)));
}

export const positions: View = {
  id: "positions",
  group: "look",
  title: () => w("위치", "Positions"),
  lead: () => w(
      "모델이 순서를 아는 방법: 위치와 차원마다의 값, 물결, 거리에 따른 닮음.",
      "How a model knows order: a value for each position and dimension, waves, similarity by distance."),
  needsModel: true,
  render: async (context) => {
    const {state} = context, model = context.model as Card;
    const place = new Place(h("div", {class: "stack"}), context.signal),
          mix = new Place(h("div"), context.signal);
    const sliders = h("div", {class: "row"});
    let kind = (state.text("kind") || "model") as Kind;
    const learner = context.models.find((m) => m.positions === "learned" && !m.trouble);
    const shown = (): Card => (kind === "learned" ? learner ?? model : model);
    const asked = () => ({
      what: "positions",
      input: {length: Math.min(state.number("length", 64), shown().context || 64)},
      lang: context.lang
    });
    const inside = () => kind === "model" || kind === "learned";
    const path = () => `/api/models/${encodeURIComponent(shown().id)}/inspect`;
    const formula = () => query({
      kind,
      length: state.number("length", 64),
      width: state.number("width", 64),
      heads: state.number("heads", 8),
      theta: state.number("theta", 10000),
      lang: context.lang
    });
    const refresh = () => place.fill(async (signal) => {
      if (!inside())
        return draw(
            context, await getJson<Inspection>(`/api/positions?${formula()}`, signal), kind);
      if (kind === "learned" && !learner)
        return h(
            "p", {class: "empty"},
            w("학습한 위치는 모델 안에만 있습니다. GPT-2나 BERT 같은 모델을 함께 여세요.",
              "Learned positions stand in a model alone: open one such as GPT-2 or BERT too."));
      const got = await postJson<Inspection>(path(), asked(), signal);
      return draw(context, got, shown().positions);
    });
    const drawSliders = () => {
      const one =
          (name: string, key: string, low: number, high: number, step: number, value: number) =>
              slider(name, {low, high, step}, state.number(key, value), (x) => {
                state.set({[key]: x === value ? null : x});
                void refresh();
              });
      replace(
          sliders, one(w("길이", "length"), "length", 8, 256, 8, 64),
          kind === "sinusoidal" || kind === "rotary" ?
              one(w("차원", "dimensions"), "width", 4, 256, 4, 64) :
              null,
          kind === "alibi" ? one(w("헤드", "heads"), "heads", 1, 32, 1, 8) : null,
          kind === "rotary" ? one("θ", "theta", 100, 100000, 100, 10000) : null);
    };
    const own = {
      sinusoidal: w("사인 함수", "sinusoidal"),
      learned: w("학습한 표", "learned"),
      relative: w("상대 거리", "relative"),
      rotary: "RoPE",
      alibi: "ALiBi"
    }[model.positions] ??
        model.positions;
    context.root.append(
        h("div", {class: "row"},
          chips(
              w("종류", "Kind"),
              [
                {value: "model", text: `${w("이 모델", "this model")} (${own})`},
                {value: "sinusoidal", text: w("사인 함수", "sinusoidal")},
                ...(model.positions === "learned" ? [] : [{
                  value: "learned",
                  text: w("학습한 표", "learned") + (learner ? ` (${learner.id})` : "")
                }]),
                {value: "rotary", text: "RoPE"}, {value: "alibi", text: "ALiBi"}
              ],
              kind,
              (value) => {
                kind = value as Kind;
                state.set({kind: kind === "model" ? null : kind});
                drawSliders();
                void refresh();
              }),
          sliders),
        place.element,
        figure(
            w("더하기와 이어 붙이기", "Added against concatenated"),
            w("토큰 벡터 e와 위치 벡터 p의 내적, √d로 나눔",
              "products of token vectors e and position vectors p, divided by √d"),
            mix.element));
    drawSliders();
    context.exports({
      name: `positions-${model.id}`,
      json: () => (inside() ? postJson(path(), asked()) : getJson(`/api/positions?${formula()}`)),
      svg: () =>
          (inside() ? postText(path(), {...asked(), form: "svg"}) :
                      getText(`/api/positions?${formula()}&form=svg`))
    });
    await Promise.all([
      refresh(), mix.fill(async (signal) => {
        try {
          return mixing(await postJson<Products>(
              `/api/models/${encodeURIComponent(model.id)}/positions`,
              {input: await inputOf(context)}, signal));
        } catch (error) {
          return trouble(error);
        }
      })
    ]);
  },
};
