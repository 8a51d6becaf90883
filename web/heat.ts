// A heat map on a canvas: labels at its sides, the value under the pointer or the arrow keys.
import {css, onTheme, palette, shade, variable} from "./colour";
import {h, onceAFrame} from "./dom";
import {number, w} from "./words";

export interface HeatOptions {
  values: (number|null)[][];
  rows: string[];
  columns: string[];
  low: number;
  high: number;
  diverging?: boolean;
  root?: boolean;  // colours by the square root, so that what is small can be seen
  title: string;
  xTitle: string;
  yTitle: string;
  most?: number;  // pixels of a cell
  pick?: (row: number, column: number) => void;
  picked?: [number, number];
  say?: (row: number, column: number, value: number|null) => string;
}

const labelFont = "12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

function longest(context: CanvasRenderingContext2D, labels: string[], most: number): number {
  context.font = labelFont;
  let out = 0;
  for (const label of labels) out = Math.max(out, context.measureText(label).width);
  return Math.min(out, most);
}

// A label of a letter or two need not lie on its side.
export const isShort = (label: string): boolean => [...label].length <= 2;

export function cut(text: string, letters: number): string {
  const all = [...text];
  return all.length > letters ? all.slice(0, letters - 1).join("") + "…" : text;
}

export class Heat {
  readonly element: HTMLElement;
  private canvas = h("canvas", {tabindex: 0, role: "img"});
  private readout = h("div", {class: "readout", "aria-live": "polite"});
  private cursor: [number, number]|null = null;
  private left = 0;
  private top = 0;
  private cell = 8;
  private cellHeight = 8;
  private redraw = onceAFrame(() => this.draw());
  private endTheme = onTheme(() => this.redraw());

  constructor(private o: HeatOptions) {
    if (o.picked) this.cursor = o.picked;
    this.canvas.setAttribute("aria-label", this.describe());
    this.element =
        h("div", {class: "figure"}, h("div", {class: "scroll"}, this.canvas), this.readout);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.move(this.o.picked ?? null));
    this.canvas.addEventListener("click", () => this.cursor && this.o.pick?.(...this.cursor));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver((_, observer) => {
      if (!this.element.isConnected) {
        observer.disconnect();
        this.endTheme();
      } else
        this.redraw();
    }).observe(this.element);
    this.redraw();
  }

  update(changes: Partial<HeatOptions>): void {
    this.o = {...this.o, ...changes};
    if (changes.picked) this.cursor = changes.picked;
    this.canvas.setAttribute("aria-label", this.describe());
    if (this.readout.textContent) this.tell();  // of the value that is there now
    this.redraw();
  }

  private describe(): string {
    const o = this.o;
    return `${o.title}. ${o.yTitle} × ${o.xTitle}, ${o.values.length} × ${o.columns.length}. ${
        w(
            "화살표 키로 칸을 옮깁니다",
            "Arrow keys move from cell to cell",
            )}`;
  }

  private share(value: number): number {
    const share = (value - this.o.low) / (this.o.high - this.o.low || 1);
    return this.o.root ? Math.sqrt(Math.max(0, share)) : share;
  }

  private draw(): void {
    const o = this.o, rows = o.values.length, columns = o.columns.length || 1;
    const context = this.canvas.getContext("2d");
    if (!context || rows === 0) return;
    const room = this.element.clientWidth || 600;
    this.left = Math.ceil(longest(context, o.rows.map((x) => cut(x, 16)), room * 0.34)) + 10;
    const wanted = (room - this.left - 4) / columns;
    this.cell = Math.max(2, Math.min(o.most ?? 26, wanted));
    this.cellHeight = Math.max(2, Math.min(o.most ?? 26, Math.max(this.cell, 420 / rows)));
    if (rows > 60 && !o.most) this.cellHeight = Math.max(2, Math.min(this.cell, 420 / rows));
    const upright = this.cell >= 9 && !(this.cell >= 15 && o.columns.every(isShort));
    this.top =
        upright ? Math.ceil(longest(context, o.columns.map((x) => cut(x, 12)), 110)) + 8 : 18;
    const width = this.left + columns * this.cell + 2,
          height = this.top + rows * this.cellHeight + 2;
    const dense = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * dense);
    this.canvas.height = Math.round(height * dense);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    context.scale(dense, dense);
    this.drawCells(context);
    this.drawLabels(context, upright);
    this.drawCursor(context);
  }

  private drawCells(context: CanvasRenderingContext2D): void {
    const o = this.o, rows = o.values.length, columns = o.columns.length;
    const image = new ImageData(Math.max(columns, 1), rows);
    const pixels = new Uint32Array(image.data.buffer), colours = palette(o.diverging);
    for (let r = 0; r < rows; ++r)
      for (let c = 0; c < columns; ++c) {
        const value = o.values[r][c];
        if (value === null) continue;
        pixels[r * columns + c] =
            colours[Math.round(255 * Math.max(0, Math.min(1, this.share(value))))];
      }
    const small = document.createElement("canvas");
    small.width = image.width;
    small.height = rows;
    small.getContext("2d")?.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(
        small,
        0,
        0,
        image.width,
        rows,
        this.left,
        this.top,
        columns * this.cell,
        rows * this.cellHeight,
    );
    context.strokeStyle = variable("--line");
    context.strokeRect(
        this.left - 0.5,
        this.top - 0.5,
        columns * this.cell + 1,
        rows * this.cellHeight + 1,
    );
  }

  private drawLabels(context: CanvasRenderingContext2D, upright: boolean): void {
    const o = this.o;
    context.font = labelFont;
    context.textBaseline = "middle";
    const plain = variable("--soft"), strong = variable("--ink");
    const wide = upright ? 13 : longest(context, o.columns.map((x) => cut(x, 12)), 110) + 5;
    const letters = Math.min(16, Math.floor((this.left - 7) / context.measureText("0").width));
    const rowGap = Math.ceil(13 / this.cellHeight), columnGap = Math.ceil(wide / this.cell);
    context.textAlign = "right";
    for (let r = 0; r < o.rows.length; ++r) {
      const here = this.cursor?.[0] === r;
      if (r % rowGap !== 0 && !here) continue;
      if (!here && this.cursor && Math.abs(this.cursor[0] - r) < rowGap) continue;
      context.fillStyle = here ? strong : plain;
      context.fillText(
          cut(o.rows[r], letters), this.left - 5, this.top + (r + 0.5) * this.cellHeight);
    }
    for (let c = 0; c < o.columns.length; ++c) {
      const here = this.cursor?.[1] === c;
      if (c % columnGap !== 0 && !here) continue;
      if (!here && this.cursor && Math.abs(this.cursor[1] - c) < columnGap) continue;
      context.fillStyle = here ? strong : plain;
      const x = this.left + (c + 0.5) * this.cell;
      if (upright && this.cell >= 15 && isShort(o.columns[c])) {
        context.textAlign = "center";
        context.fillText(o.columns[c], x, this.top - 9);
      } else if (upright) {
        context.save();
        context.translate(x, this.top - 5);
        context.rotate(-Math.PI / 2);
        context.textAlign = "left";
        context.fillText(cut(o.columns[c], 12), 0, 0);
        context.restore();
      } else {
        const label = cut(o.columns[c], 12);
        context.textAlign = context.measureText(label).width / 2 > x ? "left" : "center";
        context.fillText(label, x, 8);
      }
    }
  }

  private drawCursor(context: CanvasRenderingContext2D): void {
    const at = this.cursor;
    if (!at) return;
    const [r, c] = at;
    const x = this.left + c * this.cell, y = this.top + r * this.cellHeight;
    context.lineWidth = 2;
    context.strokeStyle = variable("--orange");
    context.strokeRect(x - 1, y - 1, this.cell + 2, this.cellHeight + 2);
  }

  private hover(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - this.left) / this.cell);
    const r = Math.floor((event.clientY - box.top - this.top) / this.cellHeight);
    const inside = r >= 0 && c >= 0 && r < this.o.values.length && c < this.o.columns.length;
    this.move(inside ? [r, c] : this.o.picked ?? null);
  }

  private move(to: [number, number]|null): void {
    if (to?.[0] === this.cursor?.[0] && to?.[1] === this.cursor?.[1] && this.readout.textContent)
      return;
    this.cursor = to;
    this.tell();
    this.redraw();
  }

  private tell(): void {
    if (!this.cursor) {
      this.readout.textContent = "";
      return;
    }
    const [r, c] = this.cursor, value = this.o.values[r]?.[c] ?? null;
    this.readout.textContent = this.o.say?.(r, c, value) ??
        `${this.o.rows[r] ?? r} × ${this.o.columns[c] ?? c} = ${number(value)}`;
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const step = steps[event.key];
    if (event.key === "Enter" && this.cursor) this.o.pick?.(...this.cursor);
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const [r, c] = this.cursor ?? [-step[0], -step[1]];
    this.move([
      Math.max(0, Math.min(this.o.values.length - 1, r + step[0])),
      Math.max(0, Math.min(this.o.columns.length - 1, c + step[1])),
    ]);
  }
}

// The scale beside a heat map.
export function scaleBar(low: number, high: number, diverging = false, root = false): HTMLElement {
  const canvas = h("canvas", {width: 120, height: 10, "aria-hidden": "true"});
  const paint = () => {
    const context = canvas.getContext("2d");
    for (let x = 0; x < 120; ++x) {
      if (!context) return;
      context.fillStyle = css(shade(root ? Math.sqrt(x / 119) : x / 119, diverging));
      context.fillRect(x, 0, 1, 10);
    }
  };
  paint();
  const end = onTheme(() => (canvas.isConnected ? paint() : end()));
  return h("span", {class: "legend"}, number(low), canvas, number(high));
}
