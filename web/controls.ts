// Small controls, each with a name that can be heard.
import {h} from "./dom";

export function field(name: string, control: HTMLElement): HTMLElement {
  return h("label", {class: "field"}, name, control);
}

export type Choice = {
  value: string; text: string
};

export function select(
    name: string,
    choices: Choice[],
    value: string,
    take: (value: string) => void,
    ): HTMLElement {
  const control: HTMLSelectElement = h("select", {change: () => take(control.value)});
  for (const one of choices)
    control.append(h("option", {value: one.value, selected: one.value === value}, one.text));
  control.value = value;
  return field(name, control);
}

// One of a few, all of them to be seen.
export function chips(
    name: string,
    choices: Choice[],
    value: string,
    take: (value: string) => void,
    ): HTMLElement {
  const list = h("div", {class: "chips", role: "group", "aria-label": name});
  for (const one of choices) {
    const button = h(
        "button",
        {
          type: "button",
          "aria-pressed": String(one.value === value),
          click: () => {
            for (const other of list.children) other.setAttribute("aria-pressed", "false");
            button.setAttribute("aria-pressed", "true");
            take(one.value);
          },
        },
        one.text,
    );
    list.append(button);
  }
  return list;
}

export interface Range {
  low: number;
  high: number;
  step: number;
  text?: (value: number) => string;
}
export function slider(
    name: string,
    range: Range,
    value: number,
    take: (value: number) => void,
    ): HTMLElement {
  const show = range.text ?? String;
  const shown = h("output", {}, show(value));
  const control = h("input", {
    type: "range",
    min: range.low,
    max: range.high,
    step: range.step,
    value: String(value),
    "aria-label": name,  // the label's first control is the output
    "aria-valuetext": show(value),
    input: () => {
      shown.textContent = show(Number(control.value));
      control.setAttribute("aria-valuetext", show(Number(control.value)));
      take(Number(control.value));
    },
  });
  control.value = String(value);
  return h("label", {class: "field"}, h("span", {}, name, " ", shown), control);
}

export function check(name: string, on: boolean, take: (on: boolean) => void): HTMLElement {
  const box: HTMLInputElement =
      h("input", {type: "checkbox", checked: on, change: () => take(box.checked)});
  return h("label", {class: "check"}, box, name);
}

export function button(text: string, click: () => void, kind = ""): HTMLButtonElement {
  return h("button", {type: "button", class: kind, click}, text);
}
