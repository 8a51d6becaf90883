// A page of lines as SVG, and the pictures of a view as one: what views export.
import {variable} from "./colour";

// Tokens may hold bytes that XML has no place for: these are left out, as in the program's
// pictures.
function escaped(text: string): string {
  return text.replace(/[\u0000-\u001f\ufffe\uffff]/g, "")
      .replace(
          /[<>&"]/g,
          (c) => ({"<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;"})[c] as string);
}

const open = (width: number, height: number): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${
        width} ${height}"><rect width="100%" height="100%" fill="${variable("--paper")}"/>`;

const text = (x: number, y: number, words: string, size: number, colour: string): string =>
    `<text x="${x}" y="${y}" font-family="sans-serif" font-size="${size}" fill="${colour}">${
        escaped(words)}</text>`;

export function sheet(title: string, lines: string[]): string {
  const shown = lines.slice(0, 400);
  return open(760, 60 + 20 * shown.length) + text(20, 32, title, 20, variable("--ink")) +
      shown.map((line, i) => text(20, 62 + 20 * i, line, 13, variable("--ink"))).join("") +
      "</svg>";
}

// Colours that the stylesheet gives become the picture's own.
function standalone(picture: SVGElement): string {
  const copy = picture.cloneNode(true) as SVGElement;
  const own = [...copy.querySelectorAll<SVGElement>("*")];
  const seen = [...picture.querySelectorAll<SVGElement>("*")];
  own.forEach((element, i) => {
    const style = getComputedStyle(seen[i]);
    for (const name
             of ["fill", "stroke", "stroke-width", "paint-order", "font-size", "font-family"])
      if (seen[i].tagName === "text" || seen[i].hasAttribute(name) || name === "stroke")
        element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
  });
  return copy.innerHTML;
}

export interface BarLine {
  name: string;
  value: number;  // of 1
  other?: number;
  text: string;
}
// Names, bars and numbers, as views draw them.
export function barSheet(title: string, list: BarLine[]): string {
  const bar = (y: number, high: number, share: number, colour: string) =>
      `<rect x="230" y="${y}" width="${(360 * Math.min(1, share)).toFixed(1)}" height="${
          high}" fill="${variable(colour)}"/>`;
  const lines = list.slice(0, 400).map((one, i) => {
    const y = 52 + 24 * i, two = one.other !== undefined,
          name = [...one.name].slice(0, 26).join("");
    return text(20, y + 12, name, 13, variable("--ink")) +
        bar(y, two ? 7 : 14, one.value, "--blue") +
        (two ? bar(y + 8, 7, one.other ?? 0, "--orange") : "") +
        text(600, y + 12, one.text, 12, variable("--soft"));
  });
  return open(760, 70 + 24 * lines.length) + text(20, 32, title, 20, variable("--ink")) +
      lines.join("") + "</svg>";
}

// Charts and heat maps of a place, one below the other, under their titles; what is said first.
export function pictures(title: string, root: HTMLElement, said: string[] = []): string {
  const ink = variable("--ink");
  let y = 50 + 22 * said.length, width = 400, body = text(20, 32, title, 20, ink);
  said.forEach((line, i) => (body += text(20, 62 + 22 * i, line, 15, ink)));
  for (const part of root.querySelectorAll<SVGElement|HTMLCanvasElement>("svg[role=img], canvas")) {
    const box = part.getBoundingClientRect();
    if (box.width < 60 || box.height < 20) continue;
    const name = part.getAttribute("aria-label")?.split(".")[0] ?? "";
    body += text(20, y + 14, name, 13, variable("--soft"));
    if (part instanceof HTMLCanvasElement)
      body += `<image x="20" y="${y + 22}" width="${box.width}" height="${box.height}" href="${
          part.toDataURL("image/png")}"/>`;
    else
      body += `<svg x="20" y="${y + 22}" width="${box.width}" height="${box.height}" viewBox="${
          part.getAttribute("viewBox") ??
          `0 0 ${box.width} ${box.height}`}">${standalone(part)}</svg>`;
    y += box.height + 44;
    width = Math.max(width, box.width + 40);
  }
  return open(width, y) + body + "</svg>";
}
