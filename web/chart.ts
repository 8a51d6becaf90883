// Lines and bars as SVG, with axes, a crosshair and the values at it.
import scaleLinear, {Scale} from "d3-scale/src/linear.js";
import scaleLog from "d3-scale/src/log.js";
import area from "d3-shape/src/area.js";
import line from "d3-shape/src/line.js";

import {lineColour, lineDash} from "./colour";
import {h, s} from "./dom";
import {number} from "./words";

export interface Series {
  name: string;
  x: number[];
  y: (number|null)[];
  low?: number[];
  high?: number[];
  colour?: number;
  faint?: boolean;  // many lines behind the few that matter
  dash?: string;
  dots?: boolean;
}

export interface ChartOptions {
  series: Series[];
  title: string;
  xTitle: string;
  yTitle?: string;
  height?: number;
  log?: boolean;                          // the y axis
  level?: {value: number; text: string};  // a line across, such as a limit
  mark?: {x: number; text: string};       // a line upright
  xText?: (x: number) => string;
  hover?: (x: number|null) => void;
  pick?: (x: number) => void;
  legend?: boolean;
  bounds?: [number, number];  // of y
}

interface Frame {
  x: Scale;
  y: Scale;
  top: number;
  width: number;
  height: number;
}
const margin = {
  left: 52,
  right: 14,
  top: 12
};
// Below: the numbers of the axis, and its title where it has one.
const bottomOf = (o: ChartOptions): number => (o.xTitle ? 36 : 22);
const topOf = (o: ChartOptions): number => margin.top + (o.yTitle ? 12 : 0);

function extent(values: Iterable<number|null|undefined>, positive: boolean): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (v === null || v === undefined || !Number.isFinite(v) || (positive && v <= 0)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (low > high) return positive ? [0.1, 1] : [0, 1];
  if (low === high) return positive ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  return [low, high];
}

function* values(o: ChartOptions): Generator<number|null, void, undefined> {
  for (const one of o.series) {
    yield* one.y;
    if (one.low && !one.faint) yield* one.low;
    if (one.high && !one.faint) yield* one.high;
  }
  if (o.level) yield o.level.value;
}

// Short, as there is little room beside an axis, and with the digits that tell it from the next.
function tick(x: number, step: number): string {
  if (step > 0 && step < 1 && Math.abs(x) > 100 * step)
    return x.toFixed(Math.ceil(-Math.log10(step)));
  const size = Math.abs(x);
  if (size !== 0 && size < 1e-3) return String(Number(x.toPrecision(3)).toExponential());
  return size >= 1e4 && Number.isInteger(x / 1000) ? `${x / 1000}k` : number(x);
}

function axes(o: ChartOptions, f: Frame): SVGGElement {
  const group = s("g", {"aria-hidden": "true"});
  const all = f.y.ticks(5), step = o.log || all.length < 2 ? 0 : all[1] - all[0];
  const every = o.log && all.length >= 8 ? Math.ceil(all.length / 6) : 1;
  for (const t of all.filter((_, i) => i % every === 0))
    group.append(
        s("line",
          {class: "axis", x1: margin.left, x2: f.width - margin.right, y1: f.y(t), y2: f.y(t)}),
        s("text", {class: "tick", x: margin.left - 7, y: f.y(t) + 4, "text-anchor": "end"},
          tick(t, step)),
    );
  let said = "", free = -Infinity;
  for (const t of f.x.ticks(Math.max(4, Math.floor(f.width / 110)))) {
    const text = o.xText ? o.xText(t) : number(t);
    if (text === "" || text === said) continue;
    said = text;
    // The last one keeps within the picture, and none lies upon another.
    const wide = 3.3 * text.length, end = f.x(t) + wide > f.width;
    const begin = end ? f.width - 2 - 2 * wide : f.x(t) - wide;
    if (begin < free) continue;
    free = begin + 2 * wide + 6;
    group.append(
        s("text", {
          x: end ? f.width - 2 : f.x(t),
          y: f.height - bottomOf(o) + 17,
          "text-anchor": end ? "end" : "middle"
        },
          text),
    );
  }
  group.append(
      s("text", {x: f.width - margin.right, y: f.height - 4, "text-anchor": "end"}, o.xTitle),
  );
  if (o.yTitle) group.append(s("text", {x: 2, y: 11}, o.yTitle));
  return group;
}

function curve(one: Series, index: number, f: Frame): SVGElement[] {
  const colour = lineColour(one.colour ?? index);
  const points = one.x.map((x, i) => ({x, y: one.y[i], low: one.low?.[i], high: one.high?.[i]}));
  type Point = (typeof points)[number];
  const drawn = (p: Point) => p.y !== null && Number.isFinite(f.y(p.y));
  const out: SVGElement[] = [];
  if (one.low && one.high && !one.faint)
    out.push(
        s("path", {
          d: area<Point>()
                 .defined((p) => drawn(p) && Number.isFinite(f.y(p.low ?? NaN)))
                 .x((p) => f.x(p.x))
                 .y0((p) => f.y(p.low ?? 0))
                 .y1((p) => f.y(p.high ?? 0))(points),
          fill: colour,
          opacity: 0.16,
        }),
    );
  out.push(
      s("path", {
        d: line<Point>().defined(drawn).x((p) => f.x(p.x)).y((p) => f.y(p.y ?? 0))(points),
        fill: "none",
        stroke: one.faint ? "var(--edge)" : colour,
        "stroke-width": one.faint ? 1 : 1.8,
        "stroke-dasharray": one.dash ?? lineDash(one.colour ?? index),
        "stroke-linejoin": "round",
        opacity: one.faint ? 0.35 : 1,
      }),
  );
  if (one.dots)
    for (const p of points)
      if (drawn(p)) out.push(s("circle", {cx: f.x(p.x), cy: f.y(p.y ?? 0), r: 2.6, fill: colour}));
  return out;
}

function nearest(xs: number[], x: number): number {
  let low = 0, high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && Math.abs(xs[low - 1] - x) < Math.abs(xs[low] - x) ? low - 1 : low;
}

export class Chart {
  readonly element: HTMLElement;
  private place = h("div");
  private readout = h("div", {class: "readout", "aria-live": "polite"});
  private legend = h("div", {class: "legend"});
  private cross = s("line", {class: "axis", stroke: "var(--edge)"});
  private frame: Frame|null = null;
  private at: number|null = null;

  constructor(private o: ChartOptions) {
    this.element = h("div", {class: "figure"}, this.legend, this.place, this.readout);
    let width = 0;
    new ResizeObserver((_, observer) => {
      if (!this.element.isConnected)
        observer.disconnect();
      else if (this.element.clientWidth !== width) {
        width = this.element.clientWidth;
        this.draw();
      }
    }).observe(this.element);
  }

  update(changes: Partial<ChartOptions>): void {
    this.o = {...this.o, ...changes};
    this.draw();
  }

  private draw(): void {
    const o = this.o, width = Math.max(260, this.element.clientWidth || 600),
          height = o.height ?? 240;
    const xs = extent(o.series.flatMap((one) => [one.x[0], one.x[one.x.length - 1]]), false);
    const ys = o.bounds ?? extent(values(o), o.log === true);
    const f: Frame = {
      x: scaleLinear().domain(xs).range([margin.left, width - margin.right]),
      y: (o.log ? scaleLog() : scaleLinear()).domain(ys).nice().range([
        height - bottomOf(o), topOf(o)
      ]),
      top: topOf(o),
      width,
      height,
    };
    this.frame = f;
    const picture = s("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      tabindex: 0,
      "aria-label": this.describe(),
    });
    picture.append(axes(o, f));
    const order = [...o.series.keys()].sort(
        (a, b) => Number(!!o.series[b].faint) - Number(!!o.series[a].faint));
    for (const i of order) picture.append(...curve(o.series[i], i, f));
    if (o.level) {
      const y = f.y(o.level.value);
      picture.append(
          s("line", {
            x1: margin.left,
            x2: width - margin.right,
            y1: y,
            y2: y,
            stroke: "var(--orange)",
            "stroke-dasharray": "5 4"
          }),
          s("text", {x: width - margin.right - 4, y: y - 5, "text-anchor": "end"}, o.level.text),
      );
    }
    if (o.mark) {
      const x = f.x(o.mark.x), room = x + 10 + 7 * o.mark.text.length < width;
      picture.append(
          s("line", {x1: x, x2: x, y1: f.top, y2: height - bottomOf(o), stroke: "var(--orange)"}),
          s("text", {x: room ? x + 5 : x - 5, y: f.top + 10, "text-anchor": room ? "start" : "end"},
            o.mark.text),
      );
    }
    this.cross.setAttribute("y1", String(f.top));
    this.cross.setAttribute("y2", String(height - bottomOf(o)));
    this.cross.setAttribute("visibility", "hidden");
    picture.append(this.cross);
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      this.show(f.x.invert(((event.clientX - box.left) * width) / box.width));
    });
    picture.addEventListener("pointerleave", () => this.show(null));
    picture.addEventListener("click", () => this.at !== null && o.pick?.(this.at));
    picture.addEventListener("keydown", (event) => this.key(event));
    this.place.replaceChildren(picture);
    this.drawLegend();
  }

  private describe(): string {
    const last = this.o.series.filter((one) => !one.faint)
                     .slice(0, 6)
                     .map((one) => `${one.name}: ${number(one.y[one.y.length - 1])}`);
    return `${this.o.title}. ${last.join("; ")}`;
  }

  private drawLegend(): void {
    const shown = this.o.series.filter((one) => !one.faint);
    if (this.o.legend === false || shown.length < 2) {
      this.legend.replaceChildren();
      return;
    }
    this.legend.replaceChildren(
        ...shown.map((one) => {
          const index = this.o.series.indexOf(one);
          const mark = s("svg", {width: 22, height: 8, "aria-hidden": "true"}, s("line", {
                           x1: 0,
                           x2: 22,
                           y1: 4,
                           y2: 4,
                           stroke: lineColour(one.colour ?? index),
                           "stroke-width": 2.4,
                           "stroke-dasharray": one.dash ?? lineDash(one.colour ?? index)
                         }));
          return h("span", {class: "row", style: undefined}, mark, one.name);
        }),
    );
  }

  private show(x: number|null): void {
    const f = this.frame;
    if (!f || x === null) {
      this.cross.setAttribute("visibility", "hidden");
      this.readout.textContent = "";
      this.at = null;
      this.o.hover?.(null);
      return;
    }
    const shown = this.o.series.filter((one) => !one.faint && one.x.length > 0);
    if (shown.length === 0) return;
    const all = shown.map((one) => one.x[nearest(one.x, x)]);
    const at = all.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a));
    this.at = at;
    this.cross.setAttribute("x1", String(f.x(at)));
    this.cross.setAttribute("x2", String(f.x(at)));
    this.cross.setAttribute("visibility", "visible");
    const parts = shown.slice(0, 8).map(
        (one) => `${shown.length > 1 ? one.name + " " : ""}${number(one.y[nearest(one.x, at)])}`);
    this.readout.textContent = `${this.o.xText?.(at) || number(at)}: ${parts.join("   ")}`;
    this.o.hover?.(at);
  }

  private key(event: KeyboardEvent): void {
    const first = this.o.series.find((one) => !one.faint && one.x.length > 0);
    if (!first) return;
    if (event.key === "Enter" && this.at !== null) this.o.pick?.(this.at);
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    const i =
        this.at === null ? 0 : nearest(first.x, this.at) + (event.key === "ArrowRight" ? 1 : -1);
    this.show(first.x[Math.max(0, Math.min(first.x.length - 1, i))]);
  }
}

// Bars beside their names: shares of 1, or numbers on either side of nothing.
export function bars(
    list: {name: string; value: number; other?: number; strong?: boolean}[],
    o: {title: string; text?: (x: number) => string; high?: number; pick?: (i: number) => void},
    ): HTMLElement {
  const high = o.high ??
      Math.max(
          1e-12, ...list.map((one) => Math.max(Math.abs(one.value), Math.abs(one.other ?? 0))));
  const show = o.text ?? number;
  const table = h("div", {class: "bars", role: o.pick ? "group" : "list", "aria-label": o.title});
  list.forEach((one, i) => {
    const track = h("span", {class: "track"});
    const bar = h("i", {class: one.value < 0 ? "below" : ""});
    bar.style.width = `${(100 * Math.abs(one.value)) / high}%`;
    track.append(bar);
    if (one.other !== undefined) {
      const second = h("i", {class: "other"});
      second.style.width = `${(100 * Math.abs(one.other)) / high}%`;
      track.append(second);
    }
    const line = h(
        "div",
        {class: one.strong ? "bar strong" : "bar", role: "listitem"},
        h("span", {class: "mono name"}, one.name),
        track,
        h("span", {class: "mono value"}, show(one.value),
          one.other === undefined ? "" : ` → ${show(one.other)}`),
    );
    if (o.pick) {
      line.tabIndex = 0;
      line.setAttribute("role", "button");
      line.addEventListener("click", () => o.pick?.(i));
      line.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        o.pick?.(i);
      });
    }
    table.append(line);
  });
  return table;
}
