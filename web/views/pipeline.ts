// Pipeline: this model's steps as a diagram. Click one, or walk with the arrow keys: its formula,
// its shape, the real numbers, what came before and what comes next.
import {Card, Inspection, postJson, postText} from "../api";
import {button, select} from "../controls";
import {h, replace} from "../dom";
import {formula} from "../formula";
import {Heat} from "../heat";
import {inputOf, inputPanel} from "../input";
import {headingOf, Step, wordsOf} from "../steps";
import {Context, Place, View} from "../view";
import {number, visible, w} from "../words";

interface Steps {
  tokens?: string[];
  source_tokens?: string[];
  target_tokens?: string[];
  token: number;
  steps: Step[];
}

const shapeText = (shape: number[]): string => `[${shape.join(", ")}]`;

function drawBoxes(
    context: Context, steps: Step[], at: number, pick: (i: number) => void): HTMLElement {
  const model = context.model as Card, here = steps[at];
  const two = steps.some((step) => step.source);
  const lane = (source: boolean, title: string) => {
    const list = h("div", {class: "lane"}, two ? h("h3", {}, title) : null);
    let group: HTMLElement|null = null, layer = -2;
    steps.forEach((step, i) => {
      if (two && step.source !== source) return;
      if (step.layer !== layer) {
        layer = step.layer;
        group = null;
        if (layer >= 0) {
          const open = here.layer === layer && (!two || here.source === source);
          group =
              h("div", {class: open ? "layer open" : "layer"},
                h("button", {
                  type: "button",
                  class: "plain",
                  "aria-expanded": String(open),
                  click: () => pick(i)
                },
                  `${w("층", "Layer")} ${layer}`));
          list.append(group);
          if (!open) group.dataset.shut = "1";
        }
      }
      if (group?.dataset.shut) return;
      const role = wordsOf(steps, i, model), heading = headingOf(steps, i);
      if (heading) (group ?? list).append(h("span", {class: "part"}, heading));
      const box =
          h("button", {
            type: "button",
            class: `box ${role.tone}`,
            "aria-current": i === at ? "step" : null,
            click: () => pick(i)
          },
            h("span", {}, role.title), h("span", {class: "mono shape"}, shapeText(step.shape)));
      (group ?? list).append(box);
    });
    return list;
  };
  if (model.task === "match")
    return h(
        "div", {class: "diagram two-lanes"}, lane(false, w("그림", "Image")),
        lane(true, w("글", "Text")));
  return h(
      "div", {class: two ? "diagram two-lanes" : "diagram"},
      two ? lane(true, w("인코더", "Encoder")) : null, lane(false, w("디코더", "Decoder")));
}

function numbers(step: Step): HTMLElement {
  const most = Math.max(...step.values.flat().map((x) => Math.abs(x)), 1e-12);
  const weights = step.role === "weights";
  return new Heat({
           values: step.values,
           title: step.name,
           xTitle: weights ? w("키", "key") : w("차원", "dimension"),
           yTitle: w("헤드", "head"),
           rows: step.values.map(
               (_, i) => (step.values.length > 1 ? `${w("헤드", "head")} ${i}` : "")),
           columns: step.values[0]?.map((_, i) => String(i)) ?? [],
           low: weights ? 0 : -most,
           high: weights ? Math.max(most, 1e-9) : most,
           diverging: !weights,
           most: 34,
         })
      .element;
}

function drawStep(
    context: Context, data: Steps, at: number, pick: (i: number) => void): HTMLElement {
  const step = data.steps[at], model = context.model as Card;
  const role = wordsOf(data.steps, at, model);
  const shown = step.values[0]?.length ?? 0, whole = step.shape[step.shape.length - 1] ?? shown;
  const near = (i: number, text: string, mark: string) => {
    const other = data.steps[i];
    const control = button("", () => pick(i));
    control.disabled = !other;
    replace(control, text, other ? ` ${mark} ${wordsOf(data.steps, i, model).title}` : "");
    return control;
  };
  return h(
      "section", {class: "card stack tight", id: "step", "data-step": step.name},
      h("div", {class: "row"}, h("h2", {}, role.title),
        h("span", {class: "mono small soft"}, step.name)),
      h("p", {}, role.text), h("div", {class: "formula"}, formula(role.formula)),
      h("table", {},
        h("tbody", {},
          h("tr", {}, h("th", {scope: "row"}, w("모양", "shape")),
            h("td", {class: "mono"}, shapeText(step.shape))),
          h("tr", {}, h("th", {scope: "row"}, w("평균 ± 표준편차", "mean ± deviation")),
            h("td", {class: "mono"}, `${number(step.mean)} ± ${number(step.std)}`)),
          h("tr", {}, h("th", {scope: "row"}, w("최소 … 최대", "smallest … largest")),
            h("td", {class: "mono"}, `${number(step.min)} … ${number(step.max)}`)))),
      h("h3", {}, w("고른 토큰의 값", "Numbers of the chosen token"),
        shown < whole ?
            h("span", {class: "note"},
              w(` (${whole}개 가운데 앞 ${shown}개)`, ` (the first ${shown} of ${whole})`)) :
            null),
      numbers(step),
      h("div", {class: "scroll"},
        h("p", {class: "mono small", id: "numbers"}, step.values[0]?.map(number).join("  ") ?? "")),
      h("div", {class: "row"}, near(at - 1, w("이전", "Before"), "←"),
        near(at + 1, w("다음", "Next"), "→"),
        role.lesson ? h("a", {href: `#/lessons?topic=${role.lesson}`}, w("수업", "Lesson")) :
                      null));
}

export const pipeline: View = {
  id: "pipeline",
  group: "look",
  title: () => w("흐름", "Pipeline"),
  lead: () =>
      w("입력이 이 모델을 지나는 길입니다. ← → 키로 한 단계씩 따라갑니다.",
        "The way of an input through this model. Walk it with the ← and → keys."),
  needsModel: true,
  render: async (context) => {
    const {state, root} = context, model = context.model as Card;
    const path = `/api/models/${encodeURIComponent(model.id)}`;
    const place = new Place(h("div"), context.signal);
    let data: Steps|null = null, walk: (to: number) => void = () => undefined;
    const show = () => place.fill(async (signal) => {
      const got = await postJson<Steps>(
          `${path}/steps`, {input: await inputOf(context), token: state.number("token", 0)},
          signal);
      data = got;
      const boxes = h("div"), detail = h("div", {class: "stack sticky"}),
            choose = h("div", {class: "row"});
      // Of the side that the step stands on.
      const drawTokens = (source: boolean) => {
        const names = (source ? got.source_tokens : got.target_tokens ?? got.tokens) ?? [];
        const at = Math.min(state.number("token", 0), Math.max(0, names.length - 1));
        replace(
            choose,
            names.length > 0 ?
                select(
                    w("토큰", "Token"),
                    names.slice(0, 512).map(
                        (token, i) => ({value: String(i), text: `${i} ${visible(token)}`})),
                    String(at),
                    (value) => {
                      state.set({token: Number(value)});
                      void show();
                    }) :
                null);
      };
      walk = (to: number) => {
        const at = Math.max(0, Math.min(got.steps.length - 1, to));
        state.set({step: at});
        replace(boxes, drawBoxes(context, got.steps, at, walk));
        replace(detail, drawStep(context, got, at, walk));
        drawTokens(got.steps[at].source);
        const current = boxes.querySelector("[aria-current]");
        current?.scrollIntoView({block: "nearest"});
      };
      walk(state.number("step", 0));
      return h(
          "div", {class: "stack"}, choose, h("div", {class: "split left walk"}, boxes, detail));
    });
    window.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement ||
          event.target instanceof HTMLSelectElement || event.target instanceof HTMLCanvasElement;
      if (!data || typing || event.altKey || event.ctrlKey || event.metaKey) return;
      const step = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10}[event.key];
      if (step === undefined) return;
      event.preventDefault();
      walk(state.number("step", 0) + step);
    }, {signal: context.signal});
    root.append(await inputPanel(context, () => void show()), place.element);
    const asked = async (what: string) =>
        ({what, input: await inputOf(context), lang: context.lang});
    context.exports({
      name: `pipeline-${model.id}`,
      json: async () => postJson<Inspection>(`${path}/inspect`, await asked("trace")),
      svg: async () => postText(`${path}/inspect`, {...(await asked("shapes")), form: "svg"})
    });
    await show();
  },
};
