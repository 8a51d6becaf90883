// A film: one head or the position table of a run, from checkpoint to checkpoint.
import {Card, Picture, postJson, Run} from "./api";
import {button, chips, select, slider} from "./controls";
import {h, replace} from "./dom";
import {Heat, scaleBar} from "./heat";
import {inputOf} from "./input";
import {Context} from "./view";
import {count, visible, w} from "./words";

export function film(context: Context, run: Run): HTMLElement {
  const {state} = context, place = h("div", {class: "stack tight"}),
        model = context.models.find((m) => m.directory.endsWith(`/${run.name}`) && !m.trouble);
  if (!model || run.checkpoints.length === 0)
    return h(
        "p", {class: "note"},
        w("필름에는 체크포인트와 모델이 필요합니다 (jogak train … --keep 20).",
          "A film needs checkpoints and a model (jogak train … --keep 20)."));
  const frames = new Map<number, Picture>(), pair = model.wiring === "encoder-decoder";
  let heat: Heat|
      null = null,
 at = Math.max(
     0, Math.min(run.checkpoints.length - 1, state.number("frame", run.checkpoints.length - 1))),
 playing = 0;
  const screen = h("div"), scale = h("div"), said = h("div", {class: "note"});
  const ask = async(step: number): Promise<Picture> => {
    const kept = frames.get(step);
    if (kept) return kept;
    const what = state.text("film") || "attention";
    const input = what === "positions" ? undefined : await inputOf({...context, model} as Context);
    const made = await postJson<Picture>(
        `/api/runs/${encodeURIComponent(run.name)}/film`, {
          step,
          what,
          ...(input ? {input} : {}),
          ...(pair && what !== "positions" ? {kind: state.text("kind") || "cross"} : {}),
          layer: state.number("layer", 0),
          head: state.number("head", 0),
          lang: context.lang
        },
        context.signal);
    frames.set(step, made);
    return made;
  };
  const show = async (to: number) => {
    at = to;
    state.set({frame: to});
    const step = run.checkpoints[to];
    said.textContent = w(`${count(step)}스텝째`, `step ${count(step)}`);
    try {
      const picture = await ask(step);
      if (at !== to) return;
      const all = [...frames.values()], high = Math.max(...all.map((p) => p.high));
      const more = {
        values: picture.values,
        low: picture.diverging ? -high : 0,
        high,
        root: !picture.diverging
      };
      if (heat)
        heat.update(more);
      else {
        heat = new Heat({
          rows: picture.rows.map(visible),
          columns: picture.columns.map(visible),
          diverging: picture.diverging,
          title: picture.title,
          xTitle: picture.x_title,
          yTitle: picture.y_title,
          ...more
        });
        replace(screen, heat.element);
      }
      replace(scale, scaleBar(more.low, high, picture.diverging, !picture.diverging));
    } catch (error) {
      if (!context.signal.aborted)
        said.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const bar = slider(
      w("체크포인트", "checkpoint"),
      {low: 0, high: run.checkpoints.length - 1, step: 1, text: (i) => count(run.checkpoints[i])},
      at, (to) => void show(to));
  const play = button(w("재생", "Play"), () => {
    if (playing) {
      clearInterval(playing);
      playing = 0;
    } else
      playing = window.setInterval(() => {
        const next = (at + 1) % run.checkpoints.length,
              control = bar.querySelector("input") as HTMLInputElement;
        control.value = String(next);
        control.dispatchEvent(new Event("input"));
      }, 700);
    play.textContent = playing ? w("멈춤", "Pause") : w("재생", "Play");
  });
  context.signal.addEventListener("abort", () => clearInterval(playing));
  const ofHeads: HTMLElement[] = [];  // what is asked of attention, and of no table
  const fresh = () => {
    for (const one of ofHeads) one.hidden = state.text("film") === "positions";
    frames.clear();
    heat = null;
    void show(at);
  };
  const numbers = (name: string, key: string, many: number) => select(
      name, Array.from({length: many}, (_, i) => ({value: String(i), text: String(i)})),
      String(state.number(key, 0)), (value) => {
        state.set({[key]: Number(value)});
        fresh();
      });
  if (pair)
    ofHeads.push(select(
        w("어느 어텐션", "Which attention"),
        [
          {value: "cross", text: w("크로스", "cross")}, {value: "self", text: w("셀프", "self")},
          {value: "encoder", text: w("인코더", "encoder")}
        ],
        state.text("kind") || "cross", (value) => {
          state.set({kind: value});
          fresh();
        }));
  ofHeads.push(
      numbers(w("층", "Layer"), "layer", (model as Card).layers),
      numbers(w("헤드", "Head"), "head", (model as Card).heads));
  replace(
      place,
      h("div", {class: "row end"},
        chips(
            w("무엇을", "What"),
            [
              {value: "attention", text: w("어텐션", "attention")},
              {value: "positions", text: w("위치 표", "position table")}
            ],
            state.text("film") || "attention",
            (value) => {
              state.set({film: value});
              fresh();
            }),
        ...ofHeads, bar, play),
      said, screen, scale);
  fresh();
  return place;
}
