// One head, however many tokens: tiles are asked for as they come into sight, and a fixed number is
// kept. Drag or arrow keys move, the wheel, two fingers or + and - zoom.
import {getBytes, query} from "./api";
import {onTheme, palette, variable} from "./colour";
import {afterPause, h, onceAFrame} from "./dom";
import {cut, isShort} from "./heat";
import {w} from "./words";

export interface HeadChoice {
  pass: string;
  kind: string;
  layer: number;
  head: number;
}

interface Tile {
  bytes: Uint8Array;
  width: number;
  height: number;
  picture: HTMLCanvasElement|null;  // painted when first drawn
}

const side = 256, mostTiles = 96;
const font = "12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

export interface TileOptions {
  choice: HeadChoice;
  rows: string[];                 // queries
  columns: string[];              // keys
  cursor: [number, number]|null;  // query, key
  moved: (query: number, key: number, picked: boolean) => void;
  sight: string;                  // "scale,key,query" of the corner, from an address; empty: all
  seen: (sight: string) => void;  // what of it is in sight now
  signal: AbortSignal;
}

export class TileView {
  readonly element: HTMLElement;
  private canvas = h("canvas", {tabindex: 0, role: "img"});
  private tiles = new Map<string, Tile|"coming">();
  private scale = 0;  // pixels of a weight
  private x = 0;      // the key and the query at the corner, in weights
  private y = 0;
  private left = 60;
  private top = 60;
  private across = 20;  // pixels of the widest label of a column
  private measured = false;
  private colours = palette();
  private pointers = new Map < number, {
    x: number;
    y: number
  }
  > ();
  private dragged = false;
  frames = 0;  // drawn so far: what a test of smoothness counts
  private redraw = onceAFrame(() => this.draw());
  private tell = afterPause(250, () => {
    const all = this.scale <= this.least() * 1.001, near = (x: number) => Number(x.toFixed(2));
    this.o.seen(all ? "" : [this.scale, this.x, this.y].map(near).join(","));
  });

  constructor(private o: TileOptions) {
    const [scale, x, y] = o.sight.split(",").map(Number);
    if (scale > 0 && x >= 0 && y >= 0) [this.scale, this.x, this.y] = [scale, x, y];
    this.element = h("div", {class: "tiles"}, this.canvas);
    this.describe();
    const c = this.canvas;
    c.addEventListener("pointerdown", (event) => this.down(event));
    c.addEventListener("pointermove", (event) => this.pointer(event));
    for (const end of ["pointerup", "pointercancel"] as const)
      c.addEventListener(end, (event) => this.up(event));
    c.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
    c.addEventListener("keydown", (event) => this.key(event));
    const endTheme = onTheme(() => {
      this.colours = palette();
      for (const tile of this.tiles.values())
        if (tile !== "coming") tile.picture = null;
      this.redraw();
    });
    const observer = new ResizeObserver(() => this.redraw());
    observer.observe(this.element);
    o.signal.addEventListener("abort", () => {
      endTheme();
      observer.disconnect();
    });
  }

  show(choice: HeadChoice): void {
    this.o.choice = choice;
    this.tiles.clear();
    this.describe();
    this.redraw();
  }
  showCursor(cursor: [number, number]|null): void {
    this.o.cursor = cursor;
    this.redraw();
  }

  private describe(): void {
    const {layer, head} = this.o.choice;
    this.canvas.setAttribute(
        "aria-label",
        `${w("층", "layer")} ${layer}, ${w("헤드", "head")} ${head}: ${this.o.rows.length} × ${
            this.o.columns.length}. ` +
            w("화살표 키로 칸을 옮기고, Enter로 계산을 봅니다. +와 -로 크기를 바꿉니다.",
              "Arrow keys move, Enter shows how the weight came about, + and - zoom."));
  }

  // --- places ---

  private room(): {width: number; height: number} {
    const width = this.element.clientWidth || 480;
    const across = Math.min(40, (width - this.left - 2) / this.o.columns.length);
    const wanted = this.top + this.o.rows.length * across + 4;
    return {width, height: Math.max(160, Math.min(width, 620, wanted))};
  }
  private least(): number {
    const {width, height} = this.room();
    return Math.min(
        (width - this.left - 2) / this.o.columns.length,
        (height - this.top - 2) / this.o.rows.length, 40);
  }
  private keep(): void {
    const {width, height} = this.room(), least = this.least();
    this.scale = Math.max(least, Math.min(48, this.scale || least));
    const seenX = (width - this.left) / this.scale, seenY = (height - this.top) / this.scale;
    this.x = Math.max(0, Math.min(this.o.columns.length - seenX, this.x));
    this.y = Math.max(0, Math.min(this.o.rows.length - seenY, this.y));
  }
  zoom(factor: number, atX: number, atY: number): void {
    const keyAt = this.x + (atX - this.left) / this.scale,
          queryAt = this.y + (atY - this.top) / this.scale;
    this.scale *= factor;
    const least = this.least();
    this.scale = Math.max(least, Math.min(48, this.scale));
    this.x = keyAt - (atX - this.left) / this.scale;
    this.y = queryAt - (atY - this.top) / this.scale;
    this.tell();
    this.redraw();
  }
  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.tell();
    this.redraw();
  }
  private cellAt(event: PointerEvent): [number, number]|null {
    const box = this.canvas.getBoundingClientRect();
    const key = Math.floor(this.x + (event.clientX - box.left - this.left) / this.scale);
    const query = Math.floor(this.y + (event.clientY - box.top - this.top) / this.scale);
    const inside = event.clientX - box.left >= this.left && event.clientY - box.top >= this.top &&
        query >= 0 && key >= 0 && query < this.o.rows.length && key < this.o.columns.length;
    return inside ? [query, key] : null;
  }

  // --- hands ---

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    this.dragged = false;
  }
  private pointer(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const cell = this.cellAt(event);
      if (cell) this.o.moved(cell[0], cell[1], false);
      return;
    }
    const dx = event.clientX - before.x, dy = event.clientY - before.y;
    if (this.pointers.size === 1) {
      if (Math.abs(dx) + Math.abs(dy) > 2) this.dragged = true;
      this.pan(dx, dy);
    } else {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const was = Math.hypot(before.x - other.x, before.y - other.y);
        const is = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        const box = this.canvas.getBoundingClientRect();
        if (was > 0)
          this.zoom(is / was, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
        this.dragged = true;
      }
    }
    this.pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
  }
  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    const cell = this.cellAt(event);
    if (!this.dragged && cell && event.type === "pointerup") {
      this.o.cursor = cell;
      this.o.moved(cell[0], cell[1], true);
      this.redraw();
    }
  }
  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
  }
  private key(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> =
        {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    const {width, height} = this.room();
    if (event.key === "+" || event.key === "=")
      this.zoom(1.3, (width + this.left) / 2, (height + this.top) / 2);
    else if (event.key === "-")
      this.zoom(1 / 1.3, (width + this.left) / 2, (height + this.top) / 2);
    else if (event.key === "Enter" && this.o.cursor)
      this.o.moved(...this.o.cursor, true);
    else if (steps[event.key]) {
      const [dq, dk] = steps[event.key], far = event.shiftKey ? 10 : 1;
      const [q, k] = this.o.cursor ?? [0, 0];
      const to: [number, number] = [
        Math.max(0, Math.min(this.o.rows.length - 1, q + dq * far)),
        Math.max(0, Math.min(this.o.columns.length - 1, k + dk * far)),
      ];
      this.o.cursor = to;
      this.reveal(to);
      this.o.moved(to[0], to[1], false);
      this.redraw();
    } else
      return;
    event.preventDefault();
    event.stopPropagation();
  }
  private reveal([q, k]: [number, number]): void {
    const {width, height} = this.room();
    const seenX = (width - this.left) / this.scale, seenY = (height - this.top) / this.scale;
    if (k < this.x) this.x = k;
    if (k + 1 > this.x + seenX) this.x = k + 1 - seenX;
    if (q < this.y) this.y = q;
    if (q + 1 > this.y + seenY) this.y = q + 1 - seenY;
    this.tell();
  }

  // --- pictures ---

  private async load(key: string, zoom: number, x: number, y: number): Promise<void> {
    const {pass, kind, layer, head} = this.o.choice;
    this.tiles.set(key, "coming");
    try {
      const made = await getBytes(
          `/api/attention/${pass}/tile?${query({kind, layer, head, zoom, x, y})}`, this.o.signal);
      if (this.tiles.get(key) !== "coming") return;  // another head by now
      this.tiles.delete(key);
      this.tiles.set(key, {...made, picture: null});
      while (this.tiles.size > mostTiles)
        this.tiles.delete(this.tiles.keys().next().value as string);
      this.redraw();
    } catch {
      this.tiles.delete(key);
    }
  }
  private paint(tile: Tile): HTMLCanvasElement {
    const picture = document.createElement("canvas");
    picture.width = tile.width;
    picture.height = tile.height;
    const image = new ImageData(tile.width, tile.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; ++i) pixels[i] = this.colours[tile.bytes[i]];
    picture.getContext("2d")?.putImageData(image, 0, 0);
    return picture;
  }

  private draw(): void {
    if (!this.element.isConnected) return;
    const context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    this.measureLabels(context);
    this.keep();
    const {width, height} = this.room(), dense = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * dense) ||
        this.canvas.height !== Math.round(height * dense)) {
      this.canvas.width = Math.round(width * dense);
      this.canvas.height = Math.round(height * dense);
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(this.left, this.top, width - this.left, height - this.top);
    context.clip();
    this.drawTiles(context, width, height);
    context.restore();
    this.drawLabels(context, width, height);
    this.drawCursor(context);
    ++this.frames;
  }

  private drawTiles(context: CanvasRenderingContext2D, width: number, height: number): void {
    const zoom = Math.max(0, Math.floor(Math.log2(1 / this.scale) + 1e-9));
    const step = 2 ** zoom, span = side * step;  // weights across a tile
    context.imageSmoothingEnabled = this.scale * step < 1;
    const lastX = Math.min(this.o.columns.length, this.x + (width - this.left) / this.scale);
    const lastY = Math.min(this.o.rows.length, this.y + (height - this.top) / this.scale);
    for (let ty = Math.floor(this.y / span); ty * span < lastY; ++ty)
      for (let tx = Math.floor(this.x / span); tx * span < lastX; ++tx) {
        const key = `${zoom}/${tx}/${ty}`, tile = this.tiles.get(key);
        if (tile === undefined) void this.load(key, zoom, tx, ty);
        if (tile === undefined || tile === "coming") continue;
        if (!tile.picture && tile.width > 0 && tile.height > 0) tile.picture = this.paint(tile);
        if (!tile.picture) continue;
        context.drawImage(
            tile.picture, this.left + (tx * span - this.x) * this.scale,
            this.top + (ty * span - this.y) * this.scale, tile.width * step * this.scale,
            tile.height * step * this.scale);
      }
  }

  private measureLabels(context: CanvasRenderingContext2D): void {
    if (this.measured) return;
    this.measured = true;
    context.font = font;
    const wide = (labels: string[]) => {
      let out = 7;
      for (const label of labels.slice(0, 400))
        out = Math.max(out, context.measureText(cut(label, 12)).width);
      return Math.min(out, 110) + 10;
    };
    this.left = wide(this.o.rows);
    this.across = wide(this.o.columns) - 10;
    this.top = this.o.columns.every(isShort) ? 22 : this.across + 10;
  }

  // Letters stand upright; words lie on their side.
  private drawLabels(context: CanvasRenderingContext2D, width: number, height: number): void {
    const [cq, ck] = this.o.cursor ?? [-1, -1];
    const wide = this.o.columns.every(isShort) ? this.across + 3 : 14;
    context.font = font;
    context.textBaseline = "middle";
    const plain = variable("--soft"), strong = variable("--ink");
    const each =
        (count: number, from: number, room: number, size: number, here: number,
         put: (i: number) => void) => {
          const gap = Math.max(1, Math.ceil(size / this.scale));
          const last = Math.min(count, Math.ceil(from + room / this.scale));
          for (let i = Math.ceil(Math.floor(from) / gap) * gap; i < last; i += gap)
            if (here < 0 || Math.abs(i - here) >= gap || i === here) {
              context.fillStyle = i === here ? strong : plain;
              put(i);
            }
          if (here >= from && here < last && here % gap !== 0) {
            context.fillStyle = strong;
            put(here);
          }
        };
    context.textAlign = "right";
    each(this.o.rows.length, this.y, height - this.top, 14, cq, (i) => {
      const y = this.top + (i + 0.5 - this.y) * this.scale;
      if (y > this.top) context.fillText(cut(this.o.rows[i], 12), this.left - 5, y);
    });
    context.textAlign = "left";
    each(this.o.columns.length, this.x, width - this.left, wide, ck, (i) => {
      const x = this.left + (i + 0.5 - this.x) * this.scale;
      if (x < this.left) return;
      if (isShort(this.o.columns[i])) {
        context.textAlign = "center";
        context.fillText(this.o.columns[i], x, this.top - 10);
        return;
      }
      context.textAlign = "left";
      context.save();
      context.translate(x, this.top - 5);
      context.rotate(-Math.PI / 2);
      context.fillText(cut(this.o.columns[i], 12), 0, 0);
      context.restore();
    });
    context.strokeStyle = variable("--line");
    const w0 = Math.min(width - this.left - 1, (this.o.columns.length - this.x) * this.scale);
    const h0 = Math.min(height - this.top - 1, (this.o.rows.length - this.y) * this.scale);
    context.strokeRect(this.left - 0.5, this.top - 0.5, w0 + 1, h0 + 1);
  }

  private drawCursor(context: CanvasRenderingContext2D): void {
    if (!this.o.cursor) return;
    const [q, k] = this.o.cursor;
    const x = this.left + (k - this.x) * this.scale, y = this.top + (q - this.y) * this.scale;
    if (x < this.left - 1 || y < this.top - 1) return;
    const size = Math.max(this.scale, 4);
    context.strokeStyle = variable("--orange");
    context.lineWidth = 2;
    context.strokeRect(x - 1, y - 1, size + 2, size + 2);
    context.lineWidth = 1;
  }
}
