// A head on what it reads: lines between words, patches of an image, patches of a series.
import {Attention} from "./api";
import {h, s} from "./dom";
import {Line, Links, Looking} from "./looking";
import {number, w} from "./words";

// Another query: its place among the head's, by a click or by the arrow keys.
function choose(looking: Looking, query: number): void {
  const to = Math.max(0, Math.min(looking.kind.queries - 1, query));
  looking.context.root.dispatchEvent(new CustomEvent("query", {detail: to}));
}

function takeKeys(picture: SVGElement, looking: Looking, steps: {[key: string]: number}): void {
  picture.setAttribute("tabindex", "0");
  picture.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(looking, looking.cell[0] + step);
  });
}

export function drawLines(looking: Looking, links: Links, room: number): HTMLElement {
  const {rows, columns} = looking, [cursor] = looking.cell;
  const most = 160,
        from = (count: number, at: number) =>
            Math.max(0, Math.min(count - most, Math.round(at - most / 2)));
  const q0 = from(rows.length, cursor), k0 = from(columns.length, cursor);
  const left = rows.slice(q0, q0 + most), right = columns.slice(k0, k0 + most);
  const line = 20, width = Math.max(280, Math.min(room, 560)),
        height = line * Math.max(left.length, right.length) + 26;
  const wide = Math.max(6, ...[...left, ...right].map((word) => [...word].length));
  const x0 = Math.min(8 * wide + 12, width * 0.36), x1 = width - x0;
  const y = (i: number) => 24 + (i + 0.5) * line;
  const picture = s("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label":
        w("토큰 사이의 가장 강한 연결. 위아래 화살표 키로 토큰을 고릅니다",
          "the strongest links between tokens. Up and down choose a token")
  });
  takeKeys(picture, looking, {ArrowUp: -1, ArrowDown: 1});
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
        if (end) text.addEventListener("click", () => choose(looking, first + i));
        picture.append(text);
      });
  words(left, q0, x0 - 6, true);
  words(right, k0, x1 + 6, false);
  const out = h("div", {class: "scroll tall"}, picture);
  requestAnimationFrame(() => (out.scrollTop = y(cursor - q0) - 300));
  return out;
}

export function onImage(looking: Looking, line: Line): HTMLElement {
  const {rows, columns, seen} = looking.pass.image as NonNullable<Attention["image"]>;
  const first = looking.kind.keys - rows * columns;  // the class token stands before the patches
  const size = Math.min(420, looking.context.root.clientWidth - 40);
  const overlay = s("svg", {
    viewBox: `0 0 ${columns} ${rows}`,
    width: size,
    height: (size * rows) / columns,
    class: "over",
    role: "img",
    "aria-label":
        w("그림 위의 어텐션. 화살표 키로 패치를 고릅니다",
          "attention on the image. Arrow keys choose a patch")
  });
  takeKeys(overlay, looking, {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns});
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
    patch.addEventListener("click", () => choose(looking, i + first));
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
    src: `data:image/png;base64,${seen}`,
    alt: "",
    width: size,
    height: (size * rows) / columns
  });
  picture.style.imageRendering = "pixelated";
  return h(
      "div", {class: "stack tight"},
      h("p", {class: "note"},
        looking.cell[0] < first ?
            w("분류 토큰이 보는 곳입니다. 패치를 누르면 그 패치가 보는 곳을 보여 줍니다.",
              "Where the class token looks. Click a patch to see where that patch looks.") :
            w("파란 테두리의 패치가 보는 곳입니다. 진할수록 많이 봅니다.",
              "Where the patch framed in blue looks: the deeper, the more.")),
      h("div", {class: "overlay"}, picture, overlay), measure(most, looking.kind.keys));
}

// How much a strong colour means.
function measure(most: number, keys: number): HTMLElement {
  return h(
      "p", {class: "note"},
      w(`가장 진한 곳의 가중치는 ${number(most)}입니다. 고르게 보면 모두 ${
            number(1 / keys)}입니다.`,
        `The deepest colour is a weight of ${number(most)}; looked at evenly, each would have ${
            number(1 / keys)}.`));
}

export function onSeries(looking: Looking, line: Line, room: number): HTMLElement {
  const series = looking.pass.series as NonNullable<Attention["series"]>;
  const length = series.patch_length ?? 1, stride = series.patch_stride ?? length;
  const first = series.class_token ? 1 : 0, T = series.values[0]?.length ?? 0;
  const patches = looking.kind.keys - first,
        skipped = Math.max(0, T - ((patches - 1) * stride + length));
  const width = Math.max(240, Math.min(760, room)), height = 220;
  const all = series.values.flat(), low = Math.min(...all), high = Math.max(...all);
  const x = (t: number) => (t / Math.max(1, T - 1)) * width,
        y = (v: number) => height - 8 - ((v - low) / (high - low || 1)) * (height - 16);
  const picture = s("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label":
        w("시계열 위의 어텐션. 좌우 화살표 키로 패치를 고릅니다",
          "attention on the series. Left and right choose a patch")
  });
  takeKeys(picture, looking, {ArrowLeft: -1, ArrowRight: 1});
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
          s("title", {}, `${w("패치", "patch")} ${i}: ${number(weight)}`));
    bar.addEventListener("click", () => choose(looking, i + first));
    picture.append(bar);
  });
  const apart = looking.kind.rows > 1;  // each series by itself: the others stay behind
  series.values.forEach((one, i) => {
    const here = !apart || i === looking.kind.row;
    picture.append(s("path", {
      d: "M" + one.map((v, t) => `${x(t).toFixed(1)} ${y(v).toFixed(1)}`).join("L"),
      fill: "none",
      stroke: here ? "var(--ink)" : "var(--edge)",
      "stroke-width": here ? 1.4 : 0.7,
      opacity: here ? 1 : 0.45
    }));
  });
  return h(
      "div", {class: "stack tight"},
      h("p", {class: "note"},
        w("파란 패치가 주황 패치들을 봅니다. 다른 패치를 눌러 보세요.",
          "The blue patch looks at the orange ones. Click another patch.")),
      h("div", {class: "scroll"}, picture), measure(most, looking.kind.keys));
}
