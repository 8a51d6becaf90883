// A picture or a table of the API, drawn as this page draws.
import {DataTable, Picture} from "./api";
import {bars, Chart} from "./chart";
import {h} from "./dom";
import {Heat, HeatOptions, scaleBar} from "./heat";
import {number, visible, w} from "./words";

export function heatOf(p: Picture, more: Partial<HeatOptions> = {}): Heat {
  return new Heat({
    values: p.values,
    rows: p.rows.map(visible),
    columns: p.columns.map(visible),
    low: p.low,
    high: p.high,
    diverging: p.diverging,
    title: p.title,
    xTitle: p.x_title,
    yTitle: p.y_title,
    ...more,
  });
}

export function figure(title: string, note: string, ...children: HTMLElement[]): HTMLElement {
  return h(
      "section", {class: "card figure"},
      h("header", {}, h("h2", {}, title), note ? h("span", {class: "note"}, note) : null),
      ...children);
}

export function pictureOf(p: Picture): HTMLElement {
  const both = `${p.y_title} × ${p.x_title}`, axes = p.title.includes(both) ? "" : both;
  if (p.kind === "heatmap")
    return figure(p.title, axes, heatOf(p).element, scaleBar(p.low, p.high, p.diverging));
  if (p.kind === "bars" && p.rows.length === 1)
    return figure(
        p.title, p.x_title,
        bars(p.columns.map((name, i) => ({name, value: p.values[0][i] ?? 0})), {title: p.title}));
  const x = p.columns.map((text, i) => (Number.isFinite(Number(text)) ? Number(text) : i));
  const named = p.columns.some((text) => !Number.isFinite(Number(text)));
  const chart = new Chart({
    series: p.rows.map((name, i) => ({name, x, y: p.values[i]})),
    title: p.title,
    xTitle: p.x_title,
    yTitle: p.y_title,
    xText: named ? (at) => (Number.isInteger(at) ? p.columns[at] ?? "" : "") : undefined,
  });
  return figure(p.title, "", chart.element);
}

// The API's tables have English heads, in either language.
const headName = (name: string): string => ({
                                             layer: w("층", "layer"),
                                             token: w("토큰", "token"),
                                             answer: w("답", "answer"),
                                             before: w("전", "before"),
                                             after: w("후", "after"),
                                             step: w("단계", "step"),
                                             place: w("자리", "place"),
                                             p: w("확률", "p"),
                                             "p after": w("후의 확률", "p after"),
                                             series: w("시계열", "series"),
                                             change: w("변화", "change"),
                                           })[name] ??
    name;

export function tableOf(t: DataTable): HTMLElement {
  const numeric =
      t.columns.map((_, i) => t.rows.every((row) => row[i] === null || typeof row[i] === "number"));
  return h(
      "div", {class: "scroll"},
      h("table", {}, t.title ? h("caption", {class: "hidden"}, t.title) : null,
        h("thead", {},
          h("tr", {},
            t.columns.map(
                (name, i) =>
                    h("th", {class: numeric[i] ? "number" : "", scope: "col"}, headName(name))))),
        h("tbody", {},
          t.rows.map(
              (row) =>
                  h("tr", {},
                    row.map(
                        (cell, i) =>
                            h("td", {class: numeric[i] ? "number" : ""},
                              typeof cell === "number" ? number(cell) : cell ?? "–")))))));
}
