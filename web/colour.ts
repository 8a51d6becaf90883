// Scales by lightness alone, light on dark paper and dark on light: told apart by everybody.

export type Rgb = [number, number, number];
const stops = {
  light: ["#fbfaf8", "#dbe7f1", "#a3c4e0", "#5e97c9", "#2368a6", "#0d3f70", "#06213f"],
  dark: ["#15181a", "#182c40", "#1f4a70", "#2f75ab", "#5fa4d8", "#a8d3f2", "#f2faff"],
};
// Blue below, orange above; the paper between.
const two = {
  light: ["#0d3f70", "#2f75b0", "#9cc0de", "#f8f6f2", "#eebd8e", "#c4691d", "#7a3300"],
  dark: ["#bfe0f8", "#5fa4d8", "#214a6d", "#17191b", "#6b4019", "#dd8b3f", "#ffe0bd"],
};
// Okabe and Ito's, those that stand out on the paper; lines also differ in their dashes.
const lines = {
  light: ["#1f5a96", "#c05a00", "#00745a", "#a2427f", "#5b5d61", "#8a6d00", "#3c8fc9", "#8b2f00"],
  dark: ["#7db7ea", "#f0a35e", "#4cc9a4", "#e29ac6", "#b5b8bc", "#e3cd5a", "#3f8fce", "#d9744a"],
};
const dashes = ["", "6 3", "2 3", "9 3 2 3"];

let theme: "light"|"dark" = "light";
const listeners = new Set<() => void>();

export function setTheme(to: "light"|"dark"): void {
  theme = to;
  document.documentElement.dataset.theme = to;
  for (const listener of listeners) listener();
}
export function currentTheme(): "light"|"dark" { return theme; }
// Called when colours change; gives a function that ends it.
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function parse(hex: string): Rgb {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb;
}

function between(list: string[], share: number): Rgb {
  const at = Math.max(0, Math.min(1, share)) * (list.length - 1);
  const i = Math.min(Math.floor(at), list.length - 2);
  const a = parse(list[i]), b = parse(list[i + 1]);
  return a.map((x, c) => Math.round(x + (b[c] - x) * (at - i))) as Rgb;
}

export function shade(share: number, diverging = false): Rgb {
  return between((diverging ? two : stops)[theme], share);
}
export function css([r, g, b]: Rgb): string { return `rgb(${r} ${g} ${b})`; }
export function inkOn([r, g, b]: Rgb): string {
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#14171a" : "#ffffff";
}

// 256 colours as the bytes of pixels.
export function palette(diverging = false): Uint32Array {
  const out = new Uint32Array(256);
  const bytes = new Uint8Array(out.buffer);
  for (let i = 0; i < 256; ++i) bytes.set([...shade(i / 255, diverging), 255], 4 * i);
  return out;
}

export function lineColour(i: number): string {
  const list = lines[theme];
  return list[i % list.length];
}
export function lineDash(i: number): string {
  return dashes[Math.floor(i / lines.light.length) % dashes.length];
}
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
