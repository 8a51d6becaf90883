// What a run's best weights so far answer to its example, each time they are better: samples of a
// training as it goes on.
import {Card, getJson, postJson, Run, stream} from "./api";
import {h, replace} from "./dom";
import {withExample} from "./input";
import {figure} from "./picture";
import {Context} from "./view";
import {count, percent, visible, w} from "./words";

interface Sample {
  step: number;
  text: string;
}
interface Labels {
  predictions: {label: string; score: number}[];
}

const most = 12;

async function answer(model: Card, signal: AbortSignal): Promise<string> {
  const path = `/api/models/${encodeURIComponent(model.id)}`, text = model.example?.text ?? "";
  const best = (labels: Labels) => labels.predictions.slice(0, 3)
                                       .map((p) => `${visible(p.label)} ${percent(p.score)}`)
                                       .join(" · ");
  if (model.task === "translate")
    return (await postJson<{translations: {text: string}[]}>(
                `${path}/translate`, {text, beams: 1}, signal))
        .translations[0]
        .text;
  if (model.task === "fill")
    return best(await postJson<Labels>(`${path}/fill`, {text, top_k: 3}, signal));
  if (model.task === "classify") {
    const input = model.reads === "text" ? {text} : {file: "example"};
    return best(await postJson<Labels>(`${path}/classify`, {input, top_k: 3}, signal));
  }
  if (model.task === "match") {
    const labels = model.example?.labels ?? [];
    return best(await postJson<Labels>(
        `${path}/classify`, {input: {file: "example"}, labels, top_k: 3}, signal));
  }
  if (model.task !== "generate") return "";
  let out = "";
  await stream(`${path}/generate`, {prompt: text, predict: 32, temperature: 0}, (event) => {
    if (!event["done"]) out += String(event["text"]);
  }, signal);
  return out;
}

export class Samples {
  readonly element = h("div", {class: "filled"});
  private kept = new Map<string, Sample[]>();
  private last = "";
  constructor(private context: Context) {}

  // The model of a run that began after the page was opened is not among those it knows.
  private async modelOf(run: Run): Promise<Card|null> {
    const its = (m: Card) => m.directory.endsWith(`/${run.name}`) && !m.trouble;
    const {models, signal} = this.context;
    const known = models.find(its) ??
        (await getJson<{models: Card[]}>("/api/models", signal)).models.find(its);
    return known ? withExample(known) : null;
  }

  async show(run: Run|null): Promise<void> {
    if (!run) return replace(this.element);
    const {signal} = this.context, better = run.curves["valid_loss"]?.steps ?? [];
    const step = better[better.length - 1] ?? run.checkpoints[run.checkpoints.length - 1];
    const key = `${run.name} ${step}`;
    if (step === undefined || key === this.last) return;
    this.last = key;
    try {
      const model = await this.modelOf(run);
      const text = model ? await answer(model, signal) : "";
      if (!model || text === "" || this.last !== key) return replace(this.element);
      const list = this.kept.get(run.name) ?? [];
      list.unshift({step, text});
      this.kept.set(run.name, list.slice(0, most));
      this.draw(model, list.slice(0, most));
    } catch {
      this.last = "";  // weights that are just being written: the next look will find them
    }
  }

  private draw(model: Card, list: Sample[]): void {
    const {example} = model, image = w("예시 그림", "the example image"),
          asked = model.reads === "text" ? example?.text ?? image : image;
    replace(
        this.element,
        figure(
            w("샘플", "Samples"),
            w("지금까지 가장 나은 가중치의 답", "answers of the best weights so far"),
            h("p", {class: "small"}, h("span", {class: "token"}, asked)),
            h("ol", {class: "samples", id: "samples"},
              list.map(
                  (one) =>
                      h("li", {}, h("span", {class: "mono soft small"}, count(one.step)),
                        h("span", {class: "mono"},
                          one.text.trim() ? one.text : visible(one.text)))))));
  }
}
