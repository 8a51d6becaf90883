// Attention: every head at once, one head, one weight; and the same as lines between words, on an
// image, on a series.
import {Attention, AttentionKind, Card, Cell, getBytes, getJson, Inspection, postJson, postText, query} from "../api";
import {cellMath} from "../cell";
import {chips, select} from "../controls";
import {afterPause, h, replace} from "../dom";
import {HeadGrid} from "../headgrid";
import {scaleBar} from "../heat";
import {inputOf, inputPanel} from "../input";
import {Line, Links, Looking} from "../looking";
import {drawLines, onImage, onSeries} from "../overlay";
import {TileView} from "../tiles";
import {card, Context, Place, trouble, View} from "../view";
import {number, w} from "../words";

const kindName = (kind: string): string => ({
                                             self: w("셀프", "self"),
                                             encoder: w("인코더", "encoder"),
                                             cross: w("크로스", "cross"),
                                             series: w("시계열 사이", "between series"),
                                             text: w("글", "text"),
                                           })[kind] ??
    kind;

type Form = "matrix"|"lines"|"input";

// Of a model that goes over its series one by one, or over patches: which.
function chooseRow(
    {state}: Context, pass: Attention, kind: AttentionKind, changed: () => void): HTMLElement {
  const names = kind.kind === "self" ? pass.series?.names ?? [] : [];
  const choices = Array.from(
      {length: Math.min(kind.rows, 512)},
      (_, i) => ({value: String(i), text: names[i] ?? String(i)}));
  return select(
      names.length > 0 ? w("시계열", "Series") : w("패치", "Patch"), choices, String(kind.row),
      (value) => {
        state.set({row: Number(value) || null});
        changed();
      });
}

async function show(context: Context, result: HTMLElement): Promise<void> {
  const {state, signal} = context, model = context.model as Card;
  const input = await inputOf(context);
  const path = `/api/models/${encodeURIComponent(model.id)}`;
  const more = {
    ...(state.text("off") ? {off: state.text("off")} : {}),
    ...(state.number("row", 0) > 0 ? {row: state.number("row", 0)} : {})
  };
  const pass = await postJson<Attention>(`${path}/attention`, {input, ...more}, signal);
  const kind = pass.kinds.find((one) => one.kind === state.text("kind")) ??
      pass.kinds.find((one) => one.kind === "cross") ?? pass.kinds[0];
  const within = (value: number, count: number) =>
      Math.max(0, Math.min(count - 1, Math.round(value)));
  const looking = new Looking(
      context, pass, kind, within(state.number("layer", kind.layers - 1), kind.layers),
      within(state.number("head", 0), kind.heads), [
        within(state.number("query", kind.queries - 1), kind.queries),
        within(state.number("key", 0), kind.keys)
      ]);
  const strongest = state.has("query") ? null : looking.ask<Links>("links", {count: 8});
  const small =
      await getBytes(`/api/attention/${pass.id}/thumbnails?${query({kind: kind.kind})}`, signal);

  const detail = h("div", {class: "stack tight"}), side = h("div"), title = h("h2");
  const hovered = h("div", {class: "readout", "aria-live": "polite"});
  const sidePlace = new Place(side, signal), detailPlace = new Place(detail, signal);
  let form = (state.text("form") || "matrix") as Form;

  const showCell = () => detailPlace.fill(
      async (stop) => cellMath(
          looking,
          await getJson<Cell>(
              `/api/attention/${pass.id}/cell?${query({
                kind: kind.kind,
                layer: looking.layer,
                head: looking.head,
                query: looking.cell[0],
                key: looking.cell[1]
              })}`,
              stop)));
  const exact = afterPause(60, async (q: number, k: number) => {
    try {
      const cell = await looking.ask<Cell>("cell", {query: q, key: k});
      replace(
          hovered, `${looking.rows[q]} → ${looking.columns[k]} `, h("b", {}, number(cell.weight)));
    } catch { /* the next one will tell */
    }
  });
  const tiles = new TileView({
    choice: {pass: pass.id, kind: kind.kind, layer: looking.layer, head: looking.head},
    rows: looking.rows,
    columns: looking.columns,
    cursor: looking.cell,
    signal,
    sight: state.text("sight"),
    seen: (sight) => !signal.aborted && state.set({sight}),
    moved: (q, k, picked) => {
      exact(q, k);
      if (!picked) return;
      looking.cell = [q, k];
      state.set({query: q, key: k});
      void showCell();
    },
  });
  (context.root as HTMLElement & {tiles?: TileView}).tiles = tiles;  // for tests of smoothness
  // Whoever went there by keyboard stays there.
  const drawnBeside = (work: () => Promise<HTMLElement>) => {
    const inside = side.contains(document.activeElement);
    void sidePlace.fill(work).then(() => inside && side.querySelector("svg")?.focus());
  };
  const drawForm = () => {
    title.textContent =
        `${w("층", "Layer")} ${looking.layer} · ${w("헤드", "head")} ${looking.head}`;
    if (form === "matrix") {
      tiles.show({pass: pass.id, kind: kind.kind, layer: looking.layer, head: looking.head});
      replace(
          side, tiles.element, hovered,
          h("div", {class: "legend"}, scaleBar(0, looking.high, false, true),
            Math.max(kind.queries, kind.keys) > 300 ?
                w("멀리서는 한 점이 그 자리의 가장 큰 가중치",
                  "from afar a dot is the largest weight there") :
                null));
    } else if (form === "lines") {
      drawnBeside(async () => {
        const [all, own] = await Promise.all([
          looking.ask<Links>("links", {count: 200}),
          looking.ask<Links>("links", {count: 12, query: looking.cell[0]}),
        ]);
        return drawLines(looking, {links: [...own.links, ...all.links]}, side.clientWidth);
      });
    } else {
      drawnBeside(async () => {
        const line = await looking.ask<Line>("line", {query: looking.cell[0]});
        return pass.image ? onImage(looking, line) : onSeries(looking, line, side.clientWidth);
      });
    }
  };
  const overInput = (pass.image && kind.kind === "self") || (pass.series && kind.kind === "self");
  if (form === "input" && !overInput) form = "matrix";
  const forms =
      [{value: "matrix", text: w("표", "Matrix")}, {value: "lines", text: w("선", "Lines")}];
  if (overInput)
    forms.push({
      value: "input",
      text: pass.image ? w("그림 위에", "On the image") : w("시계열 위에", "On the series")
    });
  const grid = new HeadGrid(small, {
    layers: kind.layers,
    heads: kind.heads,
    picked: [looking.layer, looking.head],
    signal,
    name: (layer, head) => `${w("층", "layer")} ${layer} · ${w("헤드", "head")} ${head} · ${
        w("최대", "most")} ${number(kind.high[layer][head])}`,
    pick: (layer, head) => {
      [looking.layer, looking.head] = [layer, head];
      state.set({layer, head});
      drawForm();
      void showCell();
    },
  });
  context.root.addEventListener("query", (event) => {
    looking.cell = [(event as CustomEvent<number>).detail, looking.cell[1]];
    state.set({query: looking.cell[0]});
    tiles.showCursor(looking.cell);
    drawForm();
    void showCell();
  }, {signal});

  const kinds = pass.kinds.length > 1 ?
      chips(
          w("어느 어텐션", "Which attention"),
          pass.kinds.map((one) => ({value: one.kind, text: kindName(one.kind)})), kind.kind,
          (value) => {
            state.set({
              kind: value,
              layer: null,
              head: null,
              query: null,
              key: null,
              sight: null,
              row: null
            });
            void refresh(context, result);
          }) :
      null;
  const rows =
      kind.rows > 1 ? chooseRow(context, pass, kind, () => void refresh(context, result)) : null;
  replace(
      result,
      h("div", {class: "attention"}, card(w("모든 헤드", "All heads"), kinds, rows, grid.element),
        h("section", {class: "card stack tight"},
          h("div", {class: "row"}, title,
            chips(
                w("모양", "Form"), forms, form,
                (value) => {
                  form = value as Form;
                  state.set({form: value === "matrix" ? null : value});
                  drawForm();
                })),
          side),
        card(w("이 가중치가 나온 과정", "How this weight came about"), detail)));
  // Worth a look: not the first token of a causal model, which has nothing but itself to look at.
  const links = (await strongest)?.links ?? [];
  const best = links.find((link) => !kind.causal || link[0] > 0) ?? links[0];
  if (best) {
    looking.cell = [best[0], state.has("key") ? looking.cell[1] : best[1]];
    tiles.showCursor(looking.cell);
  }
  drawForm();
  void showCell();

  const body = {
    what: "attention",
    input,
    layer: looking.layer,
    head: looking.head,
    kind: kind.kind,
    row: kind.row,
    lang: context.lang
  };
  const asked = () => ({...body, layer: looking.layer, head: looking.head});
  context.exports({
    name: `attention-${model.id}`,
    json: () => postJson<Inspection>(`${path}/inspect`, asked()),
    svg: () => postText(`${path}/inspect`, {...asked(), form: "svg"})
  });
}

async function refresh(context: Context, result: HTMLElement): Promise<void> {
  result.classList.add("busy");
  try {
    await show(context, result);
  } catch (error) {
    if (!context.signal.aborted) replace(result, trouble(error));
  }
  result.classList.remove("busy");
}

export const attention: View = {
  id: "attention",
  group: "look",
  title: () => w("어텐션", "Attention"),
  lead: () =>
      w("어느 토큰이 어느 토큰을 보는지: 모든 헤드, 한 헤드, 한 칸의 계산까지.",
        "Which token looks at which: every head, one head, and the sum behind one cell."),
  needsModel: true,
  render: async (context) => {
    const result = h("div"), made = refresh(context, result);  // asked for at once
    const panel = await inputPanel(context, () => {
      context.state.set({query: null, key: null, sight: null});
      void refresh(context, result);
    });
    context.root.append(panel, result);
    await made;
  },
};
