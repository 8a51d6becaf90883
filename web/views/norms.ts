// Norms and residuals: three norms on the same values, the size of the stream from layer to layer,
// and what each layer would answer if it were the last.
import {Card, Inspection, postJson} from "../api";
import {Chart} from "../chart";
import {select} from "../controls";
import {h} from "../dom";
import {Heat, scaleBar} from "../heat";
import {inputOf, inputPanel} from "../input";
import {figure, heatOf, tableOf} from "../picture";
import {pictures} from "../sheet";
import {Place, View} from "../view";
import {number, visible, w} from "../words";

interface Norms {
  tokens?: string[];
  target_tokens?: string[];
  places: string[];
  place: number;
  input: number[][];
  layer: number[][];
  rms: number[][];
  batch: number[][];
  own: number[][];
  mean: number[];
  feature_mean: number[];
  deviation: number[];
  rms_size: number[];
}
interface Stream {
  tokens?: string[];
  target_tokens?: string[];
  layers: string[];
  sizes: number[][];
}

function names(tokens: string[]|undefined, many: number): string[] {
  return Array.from(
      {length: many}, (_, i) => (tokens?.[i] === undefined ? String(i) : visible(tokens[i])));
}

// "dimensions", or how many of them are shown.
function part(shown: number, all: number, what: string): string {
  return shown < all ?
      w(`${what} ${all}개 가운데 앞 ${shown}개`, `the first ${shown} of ${all} ${what}`) :
      what;
}

function drawNorms(norms: Norms, model: Card): HTMLElement {
  const scaled = model.norm === "RMSNorm" ?
      w("학습한 크기 γ까지", "with its learned scale γ") :
      w("학습한 크기 γ와 이동 β까지", "with its learned scale γ and shift β");
  const rows = names(norms.target_tokens ?? norms.tokens, norms.input.length);
  const columns = norms.input[0].map((_, i) => String(i));
  const map = (values: number[][], title: string, formula: string, high: number) =>
      h("div", {class: "stack tight"}, h("h3", {}, title), h("p", {class: "note mono"}, formula),
        new Heat({
          values,
          rows,
          columns,
          low: -high,
          high,
          diverging: true,
          title,
          xTitle: w("차원", "dimension"),
          yTitle: w("토큰", "token"),
          most: 16,
        }).element,
        scaleBar(-high, high, true));
  const high = Math.max(1e-9, ...norms.input.flat().map(Math.abs));
  const own = Math.max(1e-9, ...norms.own.flat().map(Math.abs)), told = Math.min(12, rows.length);
  return h(
      "div", {class: "stack"},
      map(norms.input, w("들어온 값", "What came in"),
          `x  (${part(rows.length, norms.mean.length, w("토큰", "tokens"))} × ${
              part(columns.length, norms.feature_mean.length, w("차원", "dimensions"))})`,
          high),
      h("div", {class: "columns"},
        map(norms.layer, "LayerNorm",
            w("토큰마다: (x − μ) / √(σ² + ε)", "for each token: (x − μ) / √(σ² + ε)"), 3),
        map(norms.rms, "RMSNorm",
            w("토큰마다: x / √(mean x² + ε)", "for each token: x / √(mean x² + ε)"), 3),
        map(norms.batch, "BatchNorm",
            w("차원마다: (x − μ) / √(σ² + ε)", "for each dimension: (x − μ) / √(σ² + ε)"), 3)),
      map(norms.own, w("이 모델이 만든 것", "What this model made"), scaled, own),
      h("h3", {}, w("토큰마다", "Each token")),
      told < norms.mean.length ?
          h("p", {class: "note"}, part(told, norms.mean.length, w("토큰", "tokens"))) :
          null,
      h("div", {class: "scroll"}, tableOf({
          name: "tokens",
          title: "",
          columns: [w("토큰", "token"), "μ", "σ", "√mean x²"],
          rows: rows.slice(0, told).map(
              (name, i) => [name, norms.mean[i], norms.deviation[i], norms.rms_size[i]]),
        })));
}

// "layer 3" of encoder.layers.3 and h.3.
function layerName(name: string): string {
  const at = /\.(\d+)$/.exec(name)?.[1];
  if (at !== undefined) return `${w("층", "layer")} ${at}`;
  return name === "embeddings" ? w("임베딩", "embeddings") : name;
}

function drawStream(stream: Stream): HTMLElement {
  const layers = stream.layers.map(layerName);
  const x = stream.layers.map((_, i) => i), many = stream.sizes[0]?.length ?? 0;
  const tokens = names(stream.target_tokens ?? stream.tokens, many);
  const mean = stream.sizes.map((row) => row.reduce((a, b) => a + b, 0) / Math.max(1, many));
  const chart = new Chart({
    series: [{
      name: w("평균", "mean"),
      x,
      y: mean,
      low: stream.sizes.map((row) => Math.min(...row)),
      high: stream.sizes.map((row) => Math.max(...row)),
      dots: true
    }],
    title: w("잔차 흐름의 크기", "size of the residual stream"),
    xTitle: w("층", "layer"),
    xText: (i) => (Number.isInteger(i) ? layers[i] ?? "" : ""),
  });
  const high = Math.max(1e-9, ...stream.sizes.flat());
  return h(
      "div", {class: "stack tight"}, chart.element,
      new Heat({
        values: stream.sizes,
        rows: layers,
        columns: tokens,
        low: 0,
        high,
        title: w("토큰마다의 크기", "size of each token"),
        xTitle: w("토큰", "token"),
        yTitle: w("층", "layer"),
        say: (r, c, v) => `${layers[r]} × ${tokens[c]} = ${number(v)}`,
      }).element,
      scaleBar(0, high));
}

export const norms: View = {
  id: "norms",
  group: "look",
  title: () => w("정규화와 잔차", "Norms and residuals"),
  lead: () => w(
      "같은 값에 적용한 세 가지 정규화, 층마다 흐름의 크기, 층마다의 답.",
      "Three norms on the same values, the size of the stream by layer, and what each layer would answer."),
  needsModel: true,
  render: async (context) => {
    const {state, root, signal} = context, model = context.model as Card;
    const path = `/api/models/${encodeURIComponent(model.id)}`;
    const choose = h("div", {class: "row"});
    const places = [0, 1, 2].map(() => new Place(h("div"), signal));
    const [three, size, lens] = places;
    const ask = async(what: string, more = {}, stop?: AbortSignal): Promise<unknown> =>
        postJson(`${path}/${what}`, {input: await inputOf(context), ...more}, stop);
    const showNorms = () => three.fill(async (stop) => {
      const got = await ask("norms", {place: state.number("place", 0)}, stop) as Norms;
      choose.replaceChildren(select(
          w("어느 정규화의 입력", "The input of which norm"),
          got.places.map((name, i) => ({value: String(i), text: name})), String(got.place),
          (value) => {
            state.set({place: Number(value)});
            void showNorms();
          }));
      return drawNorms(got, model);
    });
    const show = () => Promise.all([
      showNorms(),
      size.fill(async (stop) => drawStream(await ask("stream", {}, stop) as Stream)),
      lens.fill(async (stop) => {
        if (model.task === "forecast" || model.task === "embed" || model.task === "match")
          return h(
              "p", {class: "note"},
              w("레이블이나 토큰을 답하지 않는 모델에는 렌즈가 없습니다.",
                "A model that answers neither tokens nor labels has no lens."));
        const got = await ask("inspect", {what: "lens", lang: context.lang}, stop) as Inspection;
        const drawn = got.pictures[0], rows = drawn.rows.map(layerName);
        // Chances of a model that knows little are all small: the largest there is has full colour.
        const high = Math.max(1e-9, ...drawn.values.flat().map((p) => p ?? 0));
        const words = got.tables[0];
        words.columns = words.columns.map((name, i) => (i > 0 ? visible(name) : name));
        for (const row of words.rows) row[0] = layerName(String(row[0]));
        return h(
            "div", {class: "stack tight"},
            heatOf(drawn, {
              rows,
              high,
              say: (r, c, v) => `${rows[r]} · ${visible(drawn.columns[c])}: “${
                  words.rows[r]?.[c + 1] ?? ""}” ${number(v)}`
            }).element,
            scaleBar(drawn.low, high), tableOf(words));
      }),
    ]);
    root.append(
        await inputPanel(context, () => void show()),
        figure(w("세 가지 정규화", "Three norms"), "", choose, three.element),
        figure(
            w("잔차 흐름", "The residual stream"),
            w("벡터의 제곱평균제곱근, 층마다", "root mean square of each vector, layer by layer"),
            size.element),
        figure(
            w("렌즈", "The lens"),
            w("각 층이 마지막이라면 무엇이라고 답할까",
              "what each layer would answer if it were the last"),
            lens.element));
    context.exports({
      name: `norms-${model.id}`,
      json: async () => ({
        norms: await ask("norms", {place: state.number("place", 0)}),
        stream: await ask("stream")
      }),
      svg: () => pictures(w("정규화와 잔차", "Norms and residuals"), root),
    });
    await show();
  },
};
