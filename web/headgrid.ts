// All heads at once: layers down, heads across, one small picture each.
import {Bytes} from "./api";
import {onTheme, palette, variable} from "./colour";
import {h, onceAFrame} from "./dom";
import {w} from "./words";

export interface GridOptions {
  layers: number;
  heads: number;
  picked: [number, number];
  pick: (layer: number, head: number) => void;
  name: (layer: number, head: number) => string;
  signal: AbortSignal;
}

const gap = 4, edge = 26;

export class HeadGrid {
  readonly element: HTMLElement;
  private canvas = h("canvas", {tabindex: 0, role: "img"});
  private said = h("div", {class: "readout", "aria-live": "polite"});
  private picture: HTMLCanvasElement|null = null;
  private under: [number, number]|null = null;
  private cell = 48;
  private redraw = onceAFrame(() => this.draw());

  constructor(private small: Bytes, private o: GridOptions) {
    this.canvas.setAttribute(
        "aria-label",
        `${o.layers} ${w("층", "layers")} × ${o.heads} ${w("헤드", "heads")}. ${
            w("화살표 키로 고릅니다", "Arrow keys choose")}`);
    this.element = h("div", {class: "figure"}, this.canvas, this.said);
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.at(event)));
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("click", (event) => {
      const at = this.at(event);
      if (at) this.choose(...at);
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    const endTheme = onTheme(() => {
      this.picture = null;
      this.redraw();
    });
    const observer = new ResizeObserver(() => this.redraw());
    observer.observe(this.element);
    o.signal.addEventListener("abort", () => {
      endTheme();
      observer.disconnect();
    });
    this.hover(null);
  }

  // The bytes of all heads as one picture, painted once.
  private paint(): HTMLCanvasElement {
    const {width, height, bytes} = this.small, {layers, heads} = this.o;
    const out = document.createElement("canvas");
    out.width = width * heads;
    out.height = height * layers;
    const image = new ImageData(out.width, out.height);
    const pixels = new Uint32Array(image.data.buffer), colours = palette();
    for (let i = 0, at = 0; i < layers * heads; ++i) {
      const left = (i % heads) * width, top = Math.floor(i / heads) * height;
      for (let y = 0; y < height; ++y)
        for (let x = 0, to = (top + y) * out.width + left; x < width; ++x)
          pixels[to++] = colours[bytes[at++]];
    }
    out.getContext("2d")?.putImageData(image, 0, 0);
    return out;
  }

  private draw(): void {
    if (!this.element.isConnected) return;
    this.picture = this.picture ?? this.paint();
    const {layers, heads, picked} = this.o, {width, height} = this.small;
    const room = this.element.clientWidth || 420;
    this.cell = Math.max(14, Math.min(116, (room - edge) / heads - gap));
    const w0 = edge + heads * (this.cell + gap), h0 = edge + layers * (this.cell + gap);
    const dense = window.devicePixelRatio || 1, context = this.canvas.getContext("2d");
    if (!context) return;
    this.canvas.width = Math.round(w0 * dense);
    this.canvas.height = Math.round(h0 * dense);
    this.canvas.style.width = `${w0}px`;
    this.canvas.style.height = `${h0}px`;
    context.scale(dense, dense);
    context.font = "12px ui-monospace, Menlo, 'DejaVu Sans Mono', monospace";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = variable("--soft");
    for (let i = 0; i < heads; ++i)
      context.fillText(String(i), edge + i * (this.cell + gap) + this.cell / 2, edge / 2);
    for (let l = 0; l < layers; ++l)
      context.fillText(String(l), edge / 2, edge + l * (this.cell + gap) + this.cell / 2);
    for (let l = 0; l < layers; ++l)
      for (let i = 0; i < heads; ++i) {
        const x = edge + i * (this.cell + gap), y = edge + l * (this.cell + gap);
        context.imageSmoothingEnabled = this.cell < width;
        context.drawImage(
            this.picture, i * width, l * height, width, height, x, y, this.cell, this.cell);
        const chosen = picked[0] === l && picked[1] === i;
        const under = this.under?.[0] === l && this.under?.[1] === i;
        context.strokeStyle = variable(chosen || under ? "--blue" : "--line");
        context.lineWidth = chosen ? 3 : under ? 2 : 1;
        context.strokeRect(x - 0.5, y - 0.5, this.cell + 1, this.cell + 1);
      }
  }

  private at(event: MouseEvent): [number, number]|null {
    const box = this.canvas.getBoundingClientRect();
    const head = Math.floor((event.clientX - box.left - edge) / (this.cell + gap));
    const layer = Math.floor((event.clientY - box.top - edge) / (this.cell + gap));
    return head >= 0 && layer >= 0 && head < this.o.heads && layer < this.o.layers ? [layer, head] :
                                                                                     null;
  }
  private hover(at: [number, number]|null): void {
    this.under = at;
    this.said.textContent = this.o.name(...(at ?? this.o.picked));
    this.redraw();
  }
  private choose(layer: number, head: number): void {
    this.o.picked = [layer, head];
    this.hover(null);
    this.o.pick(layer, head);
  }
  private key(event: KeyboardEvent): void {
    const steps: Record<string, [number, number]> =
        {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const [layer, head] = this.o.picked;
    this.choose(
        Math.max(0, Math.min(this.o.layers - 1, layer + step[0])),
        Math.max(0, Math.min(this.o.heads - 1, head + step[1])));
  }
}
