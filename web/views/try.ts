// Try: a model at its work. What it writes, how sure it is of the next token, what it says of a
// sentence, an image or a series.
import {Card, postJson, stream} from "../api";
import {bars} from "../chart";
import {slider} from "../controls";
import {afterPause, Child, h, replace} from "../dom";
import {Heat, scaleBar} from "../heat";
import {inputOf, inputPanel, withExample} from "../input";
import {barSheet, pictures} from "../sheet";
import {card, Context, Place, trouble, View} from "../view";
import {percent, visible, w} from "../words";

import {forecast} from "./forecast";

interface Next {
  tokens: {id: number; text: string; probability: number; chance: number}[];
}
interface Prediction {
  label: string;
  score: number;
  mask?: number;
  word?: string;
}
interface Translation {
  source: string;
  translations: {
    text: string; score: number;
    alignment?: {source: string[]; target: string[]; weights: number[][]};
  }[];
}

const path = (model: Card, what: string): string =>
    `/api/models/${encodeURIComponent(model.id)}/${what}`;

// --- writing ---

function sampling(context: Context): {[key: string]: number} {
  const {state} = context;
  return {
    temperature: state.number("temperature", 0.8),
    top_k: state.number("top_k", 40),
    top_p: state.number("top_p", 0.95),
    min_p: state.number("min_p", 0),
    repeat_penalty: state.number("repeat_penalty", 1),
    seed: state.number("seed", 0),
  };
}

function nextBars(next: Next, take: (text: string) => void): HTMLElement {
  return h(
      "div", {class: "stack tight"},
      h("div", {class: "legend"},
        h("span", {}, h("i", {class: "before"}), w("모델의 확률", "the model's probability")),
        h("span", {}, h("i", {class: "after"}), w("뽑힐 확률", "chance to be drawn"))),
      bars(
          next.tokens.map((t) => ({name: visible(t.text), value: t.probability, other: t.chance})),
          {
            title: w("다음 토큰", "the next token"),
            text: percent,
            high: 1,
            pick: (i) => take(next.tokens[i].text)
          }));
}

async function writing(context: Context): Promise<void> {
  const {state, root, signal} = context, model = context.model as Card;
  const {example} = await withExample(model);
  const prompt = h("textarea", {
    rows: 3,
    class: "wide",
    name: "prompt",
    input: () => changed(),
  });
  prompt.value = state.text("text", example?.text ?? "");
  const output =
      h("p", {class: "written mono", id: "written", "aria-live": "polite"},
        h("span", {class: "soft"},
          w("‘쓰기’를 누르면 여기에 이어 씁니다.", "Press Write: the text goes on here.")));
  const next = new Place(h("div", {id: "next"}), signal);
  let last: Next = {tokens: []};
  const lines = () => last.tokens.map((t) => ({
                                        name: visible(t.text),
                                        value: t.probability,
                                        other: t.chance,
                                        text: `${percent(t.probability)} → ${percent(t.chance)}`
                                      }));
  const showNext = () => next.fill(async (stop) => {
    const body = {prompt: prompt.value, count: 12, ...sampling(context)};
    last = await postJson<Next>(path(model, "next"), body, stop);
    return nextBars(last, (text) => {
      prompt.value += text;
      changed();
    });
  });
  const changed = afterPause(250, () => {
    state.set({text: prompt.value === example?.text ? null : prompt.value});
    void showNext();
  });
  let running: AbortController|null = null;
  const go = h("button", {type: "button", class: "main", click: () => void write()});
  const label = () => (go.textContent = running ? w("멈춤", "Stop") : w("쓰기", "Write"));
  const write = async () => {
    if (running) {
      running.abort();
      return;
    }
    running = new AbortController();
    const stop = running;
    signal.addEventListener("abort", () => stop.abort(), {once: true});
    label();
    replace(output, h("span", {class: "soft"}, prompt.value));
    try {
      const predict = state.number("predict", 64);
      const body = {prompt: prompt.value, predict, ...sampling(context)};
      await stream(path(model, "generate"), body, (event) => {
        if (event["done"])
          output.dataset.done = String(event["finish_reason"]);
        else
          output.append(String(event["text"]));
      }, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) output.append(trouble(error));
    }
    running = null;
    label();
  };
  const control = (name: string, key: string, low: number, high: number, step: number) =>
      slider(name, {low, high, step}, sampling(context)[key] ?? state.number(key, 64), (value) => {
        state.set({[key]: value});
        void showNext();
      });
  label();
  root.append(
      h("label", {class: "field"}, w("이어 쓸 글", "The text to go on from"), prompt),
      h("div", {class: "dials"}, control(w("온도", "temperature"), "temperature", 0, 2, 0.05),
        control("top-k", "top_k", 0, 100, 1), control("top-p", "top_p", 0.05, 1, 0.05),
        control("min-p", "min_p", 0, 0.5, 0.01),
        control(w("반복 벌점", "repeat penalty"), "repeat_penalty", 1, 2, 0.05),
        control(w("시드", "seed"), "seed", 0, 20, 1),
        control(w("토큰 수", "tokens"), "predict", 1, 256, 1), go),
      h("div", {class: "two"}, card(w("글", "Text"), output),
        card(
            w("다음 토큰", "The next token"),
            h("p", {class: "note"},
              w("막대를 누르면 그 토큰을 이어 씁니다.", "Click a bar to go on with that token.")),
            next.element)));
  context.exports({
    name: `next-${model.id}`,
    json: () => postJson(path(model, "next"), {prompt: prompt.value, ...sampling(context)}),
    svg: () => barSheet(w("다음 토큰", "The next token"), lines()),
  });
  await showNext();
}

// --- answers to an input ---

function translated(result: Translation): Child {
  return result.translations.map((one, i) => {
    const a = one.alignment;
    return card(
        i === 0 ? w("번역", "Translation") : "",
        h("p", {class: "answer", id: i === 0 ? "answer" : null}, one.text),
        h("p", {class: "note mono"}, `${w("점수", "score")} ${one.score.toFixed(4)}`),
        a && i === 0 ?
            h("div", {class: "stack tight"}, h("h3", {}, w("어디를 보았나", "Where it looked")),
              new Heat({
                values: a.weights,
                rows: a.target.map(visible),
                columns: a.source.map(visible),
                low: 0,
                high: 1,
                root: true,
                title: w("정렬", "alignment"),
                xTitle: w("원문", "source"),
                yTitle: w("번역", "translation"),
              }).element,
              scaleBar(0, 1, false, true)) :
            null);
  });
}

function labels(list: Prediction[], title: string): HTMLElement {
  return card(
      title,
      h("div", {id: "answer"},
        bars(
            list.map((p) => ({name: p.word ? `${p.word} · ${p.label}` : p.label, value: p.score})),
            {title, text: percent, high: 1})));
}

function answerSheet(model: Card, result: unknown, place: HTMLElement): string {
  if (model.task === "translate")
    return pictures(
        model.id, place,
        (result as Translation).translations.map((one) => `${one.score.toFixed(4)}   ${one.text}`));
  const {predictions} = result as {predictions: Prediction[]};
  return barSheet(
      model.id,
      predictions.map(
          (p) => ({name: `${p.word ?? ""} ${p.label}`, value: p.score, text: percent(p.score)})));
}

async function answering(context: Context): Promise<void> {
  const {state, root, signal} = context, model = context.model as Card;
  const place = new Place(h("div", {class: "stack"}), signal);
  const example = (await withExample(model)).example, own = example?.labels?.join("\n") ?? "";
  const mask = example?.text?.includes("<mask>") ? "<mask>" : "[MASK]";
  const sentences = () =>
      state.text("labels", own).split("\n").filter((line) => line.trim() !== "").slice(0, 64);
  const ask = async(stop?: AbortSignal): Promise<unknown> => {
    const input = await inputOf(context);
    if (model.task === "translate")
      return postJson(
          path(model, "translate"), {
            text: input.text ?? "",
            alignment: true,
            beams: state.number("beams", 4),
            n_best: Math.min(3, state.number("beams", 4)),
          },
          stop);
    if (model.task === "fill")
      return postJson(path(model, "fill"), {text: input.text ?? "", top_k: 8}, stop);
    if (model.task === "match")
      return postJson(
          path(model, "classify"), {input: {file: input.file}, labels: sentences(), top_k: 8},
          stop);
    return postJson(path(model, "classify"), {input, top_k: 8}, stop);
  };
  const show = () => place.fill(async (stop) => {
    const result = await ask(stop);
    if (model.task === "translate") return translated(result as Translation);
    const list = (result as {predictions: Prediction[]}).predictions;
    if (model.task === "match") return labels(list, w("그림에 맞는 글", "What fits the image"));
    if (model.task !== "fill") return labels(list, w("레이블", "Labels"));
    const masks = [...new Set(list.map((p) => p.mask ?? 0))];
    return masks.map(
        (mask) => labels(
            list.filter((p) => (p.mask ?? 0) === mask)
                .map((p) => ({...p, label: visible(p.label)})),
            `${w("빈칸", "Blank")} ${mask + 1}`));
  });
  root.append(await inputPanel(context, () => void show(), false));
  if (model.task === "translate")
    root.append(
        slider(w("빔", "beams"), {low: 1, high: 12, step: 1}, state.number("beams", 4), (value) => {
          state.set({beams: value});
          void show();
        }));
  if (model.task === "match") {
    const changed = afterPause(400, () => {
      state.set({labels: field.value === own ? null : field.value});
      void show();
    });
    const field = h("textarea", {rows: 6, class: "wide", name: "labels", input: () => changed()});
    field.value = state.text("labels", own);
    root.append(
        h("label", {class: "field"},
          w("줄마다 문장 하나: 어느 것이 그림에 맞을까",
            "One sentence a line: which fits the image?"),
          field));
  }
  if (model.task === "fill")
    root.append(
        h("p", {class: "note"},
          w(`빈칸은 ${mask}로 씁니다.`, `Write ${mask} where a word is left open.`)));
  root.append(place.element);
  context.exports({
    name: `${model.task}-${model.id}`,
    json: () => ask(),
    svg: async () => answerSheet(model, await ask(), place.element),
  });
  await show();
}

// --- sentences side by side ---

async function comparing(context: Context): Promise<HTMLElement> {
  const {state, signal} = context, model = context.model as Card;
  const {example} = await withExample(model);
  const first = (example?.text ?? "").replace(/\[MASK\]|<mask>/, "").trim();
  const place = new Place(h("div"), signal);
  const field = h("textarea", {rows: 4, class: "wide", name: "texts", input: () => changed()});
  field.value =
      state.text("texts", `${first}\n${first.split(" ").reverse().join(" ")}\n2031-05-09`);
  const texts = () => field.value.split("\n").filter((line) => line.trim() !== "").slice(0, 32);
  const show = () => place.fill(async (stop) => {
    const all = texts();
    if (all.length === 0)
      return h(
          "p", {class: "empty"}, w("줄마다 문장 하나를 쓰세요.", "Write one sentence a line."));
    const got = await postJson<{cosines: number[][]}>(path(model, "compare"), {texts: all}, stop);
    return h(
        "div", {class: "stack tight"}, new Heat({
                                         values: got.cosines,
                                         rows: all,
                                         columns: all.map((_, i) => String(i + 1)),
                                         low: -1,
                                         high: 1,
                                         diverging: true,
                                         title: w("코사인", "cosine"),
                                         xTitle: w("문장", "sentence"),
                                         yTitle: w("문장", "sentence"),
                                         most: 40,
                                       }).element,
        scaleBar(-1, 1, true));
  });
  const changed = afterPause(400, () => {
    state.set({texts: field.value});
    void show();
  });
  void show();
  if (model.task === "embed")
    context.exports({
      name: `vectors-${model.id}`,
      json: () => postJson(path(model, "compare"), {texts: texts()}),
      svg: () => pictures(w("문장 비교", "Sentences compared"), place.element),
    });
  return card(
      w("문장 비교", "Sentences compared"),
      h("p", {class: "note"},
        w("문장마다 벡터 하나. 두 벡터의 코사인이 1이면 같은 쪽을, 0이면 서로 상관없는 쪽을 봅니다.",
          "A vector for each sentence: where two point the same way their cosine is 1, where they have nothing in common 0.")),
      h("label", {class: "field"}, w("줄마다 문장 하나", "One sentence a line"), field),
      place.element);
}

export const tryView: View = {
  id: "try",
  group: "use",
  title: () => w("써 보기", "Try"),
  lead: () => w("모델에게 일을 시켜 봅니다.", "Put a model to work."),
  needsModel: true,
  fits: (model) => model.task !== "embed" || model.reads === "text",
  render: async (context) => {
    const model = context.model as Card;
    if (model.task === "generate") return writing(context);
    if (model.task === "forecast") return forecast.render(context);
    if (model.task !== "embed") await answering(context);
    if (model.reads === "text" && model.task !== "translate")
      context.root.append(await comparing(context));
  },
};
