// Attention: every head at once, one head, one weight; and the same as lines between words, on an
// image, on a series.
import {Attention, AttentionKind, Card, Cell, getBytes, getJson, Inspection, postJson, postText, query} from "../api";
import {css, shade} from "../colour";
import {chips} from "../controls";
import {afterPause, h, replace, s} from "../dom";
import {HeadGrid} from "../headgrid";
import {scaleBar} from "../heat";
import {imageSource, inputOf, inputPanel} from "../input";
import {TileView} from "../tiles";
import {card, Context, Place, trouble, View} from "../view";
import {number, visible, w} from "../words";

const kindName = (kind: string): string => ({
                                             self: w("셀프", "self"),
                                             encoder: w("인코더", "encoder"),
                                             cross: w("교차", "cross"),
                                             series: w("시계열 사이", "between series"),
                                           })[kind] ??
    kind;

interface Line {
  values: number[];
  high: number;
}
interface Links {
  links: [number, number, number][];
}

// What the parts of the view share: which head, which cell.
class Looking {
  constructor(
      readonly context: Context,
      readonly pass: Attention,
      readonly kind: AttentionKind,
      public layer: number,
      public head: number,
      public cell: [number, number],
  ) {}
  get rows(): string[] {
    return this.names(
        this.kind.kind === "encoder" ? this.pass.source_tokens : this.own, this.kind.queries);
  }
  get columns(): string[] {
    const across = this.kind.kind === "cross" || this.kind.kind === "encoder";
    return this.names(across ? this.pass.source_tokens : this.own, this.kind.keys);
  }
  private get own(): string[]|undefined {
    return this.kind.kind === "series" ? this.pass.series?.names :
                                         this.pass.target_tokens ?? this.pass.tokens;
  }
  private names(tokens: string[]|undefined, count: number): string[] {
    return Array.from(
        {length: count}, (_, i) => (tokens?.[i] === undefined ? String(i) : visible(tokens[i])));
  }
  get high(): number { return this.kind.high[this.layer][this.head]; }
  ask<T>(what: string, more: {[key: string]: string|number}): Promise<T> {
    const {kind, layer, head} = {kind: this.kind.kind, layer: this.layer, head: this.head};
    return getJson<T>(
        `/api/attention/${this.pass.id}/${what}?${query({kind, layer, head, ...more})}`,
        this.context.signal);
  }
}

// --- one weight ---

function strip(values: number[], most: number, name: string): HTMLElement {
  const shown = values.slice(0, 64);
  return h(
      "div", {class: "row strip"}, h("span", {class: "mono"}, name),
      h("span", {class: "cells"}, shown.map((x) => {
        const colour = shade(0.5 + x / most / 2, true);
        const cell = h("i", {title: number(x)});
        cell.style.background = css(colour);
        return cell;
      })),
      values.length > 64 ? h("span", {class: "note"}, `… ${values.length}`) : null);
}

function cellMath(looking: Looking, cell: Cell): HTMLElement {
  const most = Math.max(1e-12, ...cell.q.map(Math.abs), ...cell.k.map(Math.abs));
  const products = cell.q.map((x, i) => x * cell.k[i]);
  const terms =
      products.slice(0, 4).map((_, i) => `${number(cell.q[i])}·${number(cell.k[i])}`).join(" + ");
  const step = (what: string, sum: string, result: string) =>
      h("tr", {}, h("td", {}, what), h("td", {class: "mono"}, sum),
        h("td", {class: "number"}, result));
  return h(
      "div", {class: "stack tight", id: "cell"},
      h("p", {}, h("span", {class: "token"}, looking.rows[cell.query]), w(" 가 ", " looks at "),
        h("span", {class: "token"}, looking.columns[cell.key]), w(" 를 봅니다: ", ": "),
        h("b", {class: "mono", id: "weight"}, number(cell.weight))),
      strip(cell.q, most, "q"), strip(cell.k, most, "k"),
      strip(products, Math.max(1e-12, ...products.map(Math.abs)), "q×k"),
      h("div", {class: "scroll"},
        h("table", {class: "wide"},
          h("tbody", {},
            step("q·k", `${terms}${cell.q.length > 4 ? " + …" : ""}`, number(cell.dot)),
            step(w("나눔", "scale"), `× ${number(cell.scale)}`, number(cell.dot * cell.scale)),
            cell.bias !== 0 ?
                step(w("위치", "position"), `+ ${number(cell.bias)}`, number(cell.score)) :
                null,
            step(
                w("마스크", "mask"), cell.masked ? w("가려짐", "hidden") : w("보임", "seen"),
                cell.masked ? "−∞" : number(cell.score)),
            step(
                "softmax",
                cell.masked ?
                    "exp(−∞) = 0" :
                    `exp(${number(cell.score)} − ${number(cell.most)}) / ${number(cell.sum)}`,
                number(cell.softmax))))),
      h("p", {class: "note"},
        h("a", {href: "#/lessons?topic=attention"}, w("수업: 어텐션", "Lesson: attention"))));
}

// --- lines between words ---

function drawLines(looking: Looking, links: Links, room: number): HTMLElement {
  const {rows, columns} = looking, [cursor] = looking.cell;
  const most = 160,
        from = (count: number, at: number) =>
            Math.max(0, Math.min(count - most, Math.round(at - most / 2)));
  const q0 = from(rows.length, cursor), k0 = from(columns.length, cursor);
  const left = rows.slice(q0, q0 + most), right = columns.slice(k0, k0 + most);
  const line = 20, width = Math.max(300, Math.min(room, 560)),
        height = line * Math.max(left.length, right.length) + 26;
  const x0 = Math.min(150, width * 0.36), x1 = width - x0;
  const y = (i: number) => 24 + (i + 0.5) * line;
  const picture = s("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": w("토큰 사이의 가장 강한 연결", "the strongest links between tokens")
  });
  picture.append(
      s("text", {x: x0 - 6, y: 12, "text-anchor": "end"}, w("보는 쪽", "looks")),
      s("text", {x: x1 + 6, y: 12}, w("보이는 쪽", "looked at")));
  for (const [q, k, weight] of [...links.links].reverse()) {
    if (q < q0 || k < k0 || q >= q0 + left.length || k >= k0 + right.length) continue;
    const strong = q === cursor;
    const a = y(q - q0), b = y(k - k0), middle = (x0 + x1) / 2;
    picture.append(
        s("path", {
          d: `M${x0} ${a}C${middle} ${a} ${middle} ${b} ${x1} ${b}`,
          fill: "none",
          stroke: strong ? "var(--orange)" : "var(--blue)",
          "stroke-width": 0.6 + 4 * weight,
          opacity: strong ? 1 : 0.12 + 0.75 * Math.sqrt(weight)
        },
          s("title", {}, `${rows[q]} → ${columns[k]}: ${number(weight)}`)));
  }
  const words = (list: string[], first: number, x: number, end: boolean) =>
      list.forEach((token, i) => {
        const here = end && first + i === cursor;
        const text =
            s("text", {
              x,
              y: y(i) + 4,
              "text-anchor": end ? "end" : "start",
              class: here ? "word here" : "word"
            },
              token);
        if (end)
          text.addEventListener(
              "click",
              () => looking.context.root.dispatchEvent(
                  new CustomEvent("query", {detail: first + i})));
        picture.append(text);
      });
  words(left, q0, x0 - 6, true);
  words(right, k0, x1 + 6, false);
  return h("div", {class: "scroll tall"}, picture);
}

// --- on an image, on a series ---

function onImage(looking: Looking, line: Line): HTMLElement {
  const {rows, columns} = looking.pass.image as {
    rows: number;
    columns: number
  };
  const first = looking.kind.keys - rows * columns;  // the class token stands before the patches
  const size = Math.min(420, looking.context.root.clientWidth - 40);
  const overlay = s("svg", {
    viewBox: `0 0 ${columns} ${rows}`,
    width: size,
    height: (size * rows) / columns,
    class: "over",
    role: "img",
    "aria-label": w("그림 위의 어텐션", "attention on the image")
  });
  const most = Math.max(...line.values);
  line.values.slice(first).forEach((weight, i) => {
    const x = i % columns, y = Math.floor(i / columns), query = looking.cell[0] === i + first;
    const patch =
        s("rect", {
          x,
          y,
          width: 1,
          height: 1,
          fill: "var(--orange)",
          opacity: 0.85 * Math.sqrt(weight / (most || 1)),
          "pointer-events": "all"
        },
          s("title", {}, `${y},${x}: ${number(weight)}`));
    patch.addEventListener(
        "click",
        () => looking.context.root.dispatchEvent(new CustomEvent("query", {detail: i + first})));
    overlay.append(patch);
    if (query)
      overlay.append(s("rect", {
        x: x + 0.03,
        y: y + 0.03,
        width: 0.94,
        height: 0.94,
        fill: "none",
        stroke: "var(--blue)",
        "stroke-width": 0.06
      }));
  });
  const picture = h("img", {
    src: imageSource(looking.context.model as Card, looking.context.state.text("file", "example")),
    alt: "",
    width: size,
    height: (size * rows) / columns
  });
  picture.style.imageRendering = "pixelated";
  return h(
      "div", {class: "stack tight"},
      h("p", {class: "note"},
        looking.cell[0] < first ?
            w("분류 토큰이 보는 곳. 조각을 누르면 그 조각이 보는 곳.",
              "Where the class token looks. Click a patch to see where that patch looks.") :
            w("이 조각이 보는 곳", "Where this patch looks")),
      h("div", {class: "overlay"}, picture, overlay));
}

function onSeries(looking: Looking, line: Line): HTMLElement {
  const series = looking.pass.series as NonNullable<Attention["series"]>;
  const length = series.patch_length ?? 1, stride = series.patch_stride ?? length;
  const first = series.class_token ? 1 : 0, T = series.values[0]?.length ?? 0;
  const patches = looking.kind.keys - first,
        skipped = Math.max(0, T - ((patches - 1) * stride + length));
  const width = Math.max(300, Math.min(760, looking.context.root.clientWidth - 60)), height = 220;
  const all = series.values.flat(), low = Math.min(...all), high = Math.max(...all);
  const x = (t: number) => (t / Math.max(1, T - 1)) * width,
        y = (v: number) => height - 8 - ((v - low) / (high - low || 1)) * (height - 16);
  const picture = s("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": w("시계열 위의 어텐션", "attention on the series")
  });
  const most = Math.max(...line.values);
  line.values.slice(first).forEach((weight, i) => {
    const begin = skipped + i * stride, here = looking.cell[0] === i + first;
    const bar =
        s("rect", {
          x: x(begin),
          width: x(Math.min(stride, length)),
          y: 0,
          height,
          fill: here ? "var(--blue)" : "var(--orange)",
          opacity: here ? 0.35 : 0.6 * Math.sqrt(weight / (most || 1))
        },
          s("title", {}, `${w("조각", "patch")} ${i}: ${number(weight)}`));
    bar.addEventListener(
        "click",
        () => looking.context.root.dispatchEvent(new CustomEvent("query", {detail: i + first})));
    picture.append(bar);
  });
  for (const one of series.values)
    picture.append(s("path", {
      d: "M" + one.map((v, t) => `${x(t).toFixed(1)} ${y(v).toFixed(1)}`).join("L"),
      fill: "none",
      stroke: "var(--ink)",
      "stroke-width": 1.2
    }));
  return h(
      "div", {class: "stack tight"},
      h("p", {class: "note"},
        w("파란 조각이 주황 조각들을 봅니다. 조각을 눌러 보세요.",
          "The blue patch looks at the orange ones. Click a patch.")),
      h("div", {class: "scroll"}, picture));
}

// --- the view ---

type Form = "matrix"|"lines"|"input";

async function show(context: Context, result: HTMLElement): Promise<void> {
  const {state, signal} = context, model = context.model as Card;
  const input = await inputOf(context);
  const path = `/api/models/${encodeURIComponent(model.id)}`;
  const pass = await postJson<Attention>(
      `${path}/attention`, {input, ...(state.text("off") ? {off: state.text("off")} : {})}, signal);
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
  if (!state.has("query")) {  // the strongest is worth a look
    const best = (await looking.ask<Links>("links", {count: 1})).links[0];
    if (best) looking.cell = [best[0], state.has("key") ? looking.cell[1] : best[1]];
  }
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
  const drawForm = () => {
    title.textContent =
        `${w("층", "Layer")} ${looking.layer} · ${w("헤드", "head")} ${looking.head}`;
    if (form === "matrix") {
      tiles.show({pass: pass.id, kind: kind.kind, layer: looking.layer, head: looking.head});
      replace(
          side, tiles.element, hovered,
          h("div", {class: "legend"}, scaleBar(0, looking.high, false, true),
            w("한 점은 그 자리에서 가장 큰 값", "a dot is the largest weight of its place")));
    } else if (form === "lines") {
      void sidePlace.fill(async () => {
        const all = await looking.ask<Links>("links", {count: 200});
        const own = await looking.ask<Links>("links", {count: 12, query: looking.cell[0]});
        return drawLines(looking, {links: [...own.links, ...all.links]}, side.clientWidth);
      });
    } else {
      void sidePlace.fill(async () => {
        const line = await looking.ask<Line>("line", {query: looking.cell[0]});
        return pass.image ? onImage(looking, line) : onSeries(looking, line);
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
            state.set({kind: value, layer: null, head: null, query: null, key: null, sight: null});
            void refresh(context, result);
          }) :
      null;
  replace(
      result,
      h("div", {class: "attention"}, card(w("모든 헤드", "All heads"), kinds, grid.element),
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
        card(w("이 가중치는 이렇게", "How this weight came about"), detail)));
  drawForm();
  void showCell();

  const body = {
    what: "attention",
    input,
    layer: looking.layer,
    head: looking.head,
    kind: kind.kind,
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
    const result = h("div");
    context.root.append(await inputPanel(context, () => {
                          context.state.set({query: null, key: null});
                          void refresh(context, result);
                        }), result);
    await refresh(context, result);
  },
};
