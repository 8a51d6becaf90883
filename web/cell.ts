// How one weight came about: its vectors, and every step from q·k to the softmax.
import {Cell} from "./api";
import {css, shade} from "./colour";
import {h} from "./dom";
import {Looking} from "./looking";
import {number, w} from "./words";

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

const signed = (x: number): string => (x < 0 ? `(${number(x)})` : number(x));

export function cellMath(looking: Looking, cell: Cell): HTMLElement {
  const most = Math.max(1e-12, ...cell.q.map(Math.abs), ...cell.k.map(Math.abs));
  const products = cell.q.map((x, i) => x * cell.k[i]);
  const terms =
      products.slice(0, 4).map((_, i) => `${signed(cell.q[i])}·${signed(cell.k[i])}`).join(" + ");
  const scaled = cell.dot * cell.scale;
  const step = (what: string, sum: string, result: string) =>
      h("tr", {}, h("td", {}, what), h("td", {class: "mono"}, sum),
        h("td", {class: "number"}, result));
  return h(
      "div", {class: "stack tight", id: "cell"},
      h("p", {}, w("쿼리 ", ""), h("span", {class: "token"}, looking.rows[cell.query]),
        w(" → 키 ", " looks at "), h("span", {class: "token"}, looking.columns[cell.key]), ": ",
        h("b", {class: "mono", id: "weight"}, number(cell.weight))),
      strip(cell.q, most, "q"), strip(cell.k, most, "k"),
      strip(products, Math.max(1e-12, ...products.map(Math.abs)), "q×k"),
      h("div", {class: "scroll"},
        h("table", {class: "wide"},
          h("tbody", {},
            step("q·k", `${terms}${cell.q.length > 4 ? " + …" : ""}`, number(cell.dot)),
            step(
                w("스케일", "scale"),
                Math.abs(cell.scale * Math.sqrt(cell.q.length) - 1) < 1e-6 ?
                    `÷ √${cell.q.length}` :
                    `× ${number(cell.scale)}`,
                number(scaled)),
            cell.cap > 0 ? step(
                               w("상한", "cap"),
                               `${number(cell.cap)} tanh(${number(scaled)} / ${number(cell.cap)})`,
                               number(cell.score - cell.bias)) :
                           null,
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
                    `exp(${number(cell.score)} − ${signed(cell.most)}) / ${number(cell.sum)}`,
                number(cell.softmax))))),
      h("p", {class: "note"},
        h("a", {href: "#/lessons?topic=attention"}, w("수업: 어텐션", "Lesson: attention"))));
}
