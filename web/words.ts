// Both languages, side by side where a text is written.

export type Lang = "ko"|"en";
let lang: Lang = "en";

export function setLang(to: Lang): void {
  lang = to;
  document.documentElement.lang = to;
}
export function currentLang(): Lang { return lang; }
export function w(ko: string, en: string): string { return lang === "ko" ? ko : en; }

// Numbers for people: four digits that count.
export function number(x: number|null|undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e6) return String(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(2).replace("e+", "e");
  return String(Number(x.toPrecision(4)));
}
export function percent(x: number): string {
  if (x > 0 && x < 0.001) return "<0.1%";
  return `${(100 * x).toFixed(1)}%`;
}
export function count(x: number): string { return x.toLocaleString("en-US"); }

// One token on one line, as the command line shows it.
export function visible(token: string): string {
  if (token === "") return "∅";
  return token.replace(/[ ▁Ġ]/g, "␣").replace(/\r?\n|Ċ/g, "⏎").replace(/\t/g, "⇥");
}
