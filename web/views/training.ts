// Training: the runs of a folder as they go on, several side by side, and a film of one head or of
// the positions over the checkpoints.
import {getJson, query, Run} from "../api";
import {Chart, Series} from "../chart";
import {lineColour} from "../colour";
import {check} from "../controls";
import {h, replace, s} from "../dom";
import {film} from "../film";
import {figure} from "../picture";
import {Samples} from "../samples";
import {pictures} from "../sheet";
import {View} from "../view";
import {count, number, w} from "../words";

interface Glance {
  name: string;
  step: number;
  train_loss: number|null;
  valid_loss: number|null;
  points: [number, number][];
  modified: number;
  live: boolean;
}
const mostChosen = 8;
const titles = (name: string): string => ({
                                           train_loss: w("학습 손실", "training loss"),
                                           valid_loss: w("검증 손실", "validation loss"),
                                           lr: w("학습률", "learning rate"),
                                           grad_norm: w("기울기 크기", "gradient norm"),
                                           tokens_per_s: w("초당 토큰", "tokens per second"),
                                           examples_per_s: w("초당 예", "examples per second"),
                                           perplexity: w("퍼플렉시티", "perplexity"),
                                         })[name] ??
    name;

function spark(points: [number, number][]): SVGElement {
  const ys = points.map((p) => Math.log(Math.max(1e-9, p[1]))), xs = points.map((p) => p[0]);
  const low = Math.min(...ys), high = Math.max(...ys), last = xs[xs.length - 1] || 1;
  const d = points
                .map(
                    (_, i) => `${((60 * xs[i]) / last).toFixed(1)} ${
                        (17 - (14 * (ys[i] - low)) / (high - low || 1)).toFixed(1)}`)
                .join("L");
  return s(
      "svg", {width: 62, height: 20, viewBox: "0 0 62 20", "aria-hidden": "true"},
      s("path", {d: `M${d}`, fill: "none", stroke: "var(--edge)", "stroke-width": 1.4}));
}

class RunList {
  readonly element = h("section", {class: "card stack tight"});
  private rows = h("div", {class: "runs", role: "group"});
  private filter = h("input", {
    type: "search",
    class: "wide",
    "aria-label": w("실행 찾기", "Find runs"),
    placeholder: w("찾기", "find"),
    input:
        () => {
          this.sought(this.filter.value);
          this.draw();
        }
  });
  private summary = h("span", {class: "note", "aria-live": "polite"});
  all: Glance[] = [];
  constructor(
      private chosen: () => string[], private toggle: (name: string) => void, find: string,
      private sought: (text: string) => void) {
    this.filter.value = find;
    this.rows.setAttribute("aria-label", w("실행", "Runs"));
    this.element.append(
        h("div", {class: "row"}, h("h2", {}, w("실행", "Runs")), this.summary), this.filter,
        this.rows);
  }
  draw(): void {
    const wanted = this.filter.value.toLowerCase(), chosen = this.chosen();
    const shown = this.all.filter((run) => run.name.toLowerCase().includes(wanted));
    this.summary.textContent = `${count(shown.length)} / ${count(this.all.length)}`;
    const most = 200;  // a list of more is not read: the field above finds the rest
    replace(
        this.rows, shown.slice(0, most).map((run) => {
          const at = chosen.indexOf(run.name);
          const box = h("input", {
            type: "checkbox",
            checked: at >= 0,
            disabled: at < 0 && chosen.length >= mostChosen,
            change: () => this.toggle(run.name)
          });
          const dot = h("i", {class: "dot"});
          if (at >= 0) dot.style.background = lineColour(at);
          return h(
              "label", {class: "run"}, box, dot,
              h("span", {class: "name"}, run.name,
                run.live ? h("span", {class: "live"}, w("진행 중", "live")) : null),
              spark(run.points),
              h("span", {class: "mono small"}, number(run.valid_loss ?? run.train_loss)));
        }),
        shown.length > most ?
            h("p", {class: "note"},
              w(`${count(shown.length - most)}개 더`, `${count(shown.length - most)} more`)) :
            null);
  }
}

function series(runs: Run[], names: string[]): Series[] {
  return runs.flatMap((run, i) => names.flatMap((name): Series[] => {
    const curve = run.curves[name];
    if (!curve) return [];
    const several = runs.length > 1, valid = name.startsWith("valid");
    return [{
      name: several ? `${run.name}${names.length > 1 ? ` · ${titles(name)}` : ""}` : titles(name),
      x: curve.steps,
      y: curve.mean,
      low: curve.low,
      high: curve.high,
      colour: several ? i : names.filter((one) => run.curves[one]).indexOf(name),
      dash: several && valid ? "5 4" : undefined,
      dots: valid && curve.steps.length < 60
    }];
  }));
}

export const training: View = {
  id: "training",
  group: "train",
  title: () => w("학습", "Training"),
  lead: () =>
      w("모델이 배우는 모습을 지켜봅니다: 손실, 학습률, 기울기, 속도, 그리고 필름.",
        "Watch models learn: loss, learning rate, gradients, speed, and a film."),
  needsModel: false,
  render: async (context) => {
    const {state, root, signal} = context;
    const known = new Map<string, Run>();
    const chosen = (): string[] => state.text("runs").split(",").filter((name) => name !== "");
    const charts = h("div", {class: "stack"}), filmPlace = h("div"), skipped = h("div");
    const samples = new Samples(context);
    const list = new RunList(chosen, (name) => {
      const now = chosen();
      state.set({
        runs: (now.includes(name) ? now.filter((one) => one !== name) : [...now, name]).join(",")
      });
      list.draw();
      void update(true);
    }, state.text("find"), (text) => state.set({find: text}));
    const make = (title: string, names: string[], log: boolean):
        {names: string[]; chart: Chart; element: HTMLElement; log: boolean} => {
          const chart = new Chart({series: [], title, xTitle: w("스텝", "step"), log});
          return {names, chart, log, element: figure(title, "", chart.element)};
        };
    const all = [
      make(w("손실", "Loss"), ["train_loss", "valid_loss"], state.flag("log")),
      make(w("학습률", "Learning rate"), ["lr"], false),
      make(w("기울기 크기", "Gradient norm"), ["grad_norm"], true),
      make(w("속도", "Speed"), ["tokens_per_s", "examples_per_s"], false),
    ];
    let filmed = "";
    const drawCharts = () => {
      const runs =
          chosen().map((name) => known.get(name)).filter((run): run is Run => run !== undefined);
      const back: Series[] = list.all.filter((run) => !chosen().includes(run.name))
                                 .slice(0, 1000)
                                 .map((run) => ({
                                        name: run.name,
                                        x: run.points.map((p) => p[0]),
                                        y: run.points.map((p) => p[1]),
                                        faint: true
                                      }));
      for (const one of all) {
        const clip = one.names[0] === "grad_norm" ? runs.find((run) => run.clip)?.clip : undefined;
        const faint = one.names[0] === "train_loss" ? back : [];
        const unit = one.names.find((name) => runs.some((run) => run.curves[name]));
        one.chart.update({
          series: [...series(runs, one.names), ...faint],
          yTitle: one.names[0] === "tokens_per_s" && unit ? titles(unit) : undefined,
          log: one.names[0] === "train_loss" ? state.flag("log") : one.log,
          level: clip ? {value: clip, text: w("클리핑 기준", "clipped at") + ` ${clip}`} : undefined
        });
      }
      const lost = runs.flatMap(
          (run) => run.skipped.map(
              (one) => `${run.name}: ${w("건너뜀", "skipped")} ${one.step}: ${one.why}`));
      replace(
          skipped,
          lost.length > 0 ? h("div", {class: "trouble small"},
                              lost.slice(0, 5).map((text) => h("div", {}, text))) :
                            null);
      const first = runs[0], key = first ? `${first.name} ${first.checkpoints.join()}` : "";
      if (first && key !== filmed) {
        filmed = key;
        replace(filmPlace, figure(w("필름", "Film"), first.name, film(context, first)));
      }
      if (!first) replace(filmPlace), (filmed = "");
      void samples.show(first ?? null);
    };
    const update = async (now: boolean) => {
      const names = chosen();
      const got = await Promise.all(names.map(
          (name) => getJson<Run>(
                        `/api/runs/${encodeURIComponent(name)}?${
                            query({offset: now ? 0 : known.get(name)?.offset ?? 0})}`,
                        signal)
                        .catch(() => null)));
      let changed = now;
      for (const run of got)
        if (run && !run.unchanged) {
          known.set(run.name, run);
          changed = true;
        }
      if (changed && !signal.aborted) drawCharts();
    };
    const look = async () => {
      list.all = (await getJson<{runs: Glance[]}>("/api/runs", signal)).runs;
      list.all.sort((a, b) => b.modified - a.modified);
      if (!state.has("runs") && list.all.length > 0) state.set({runs: list.all[0].name});
      list.draw();
    };
    if (!context.runs) {
      root.append(
          h("p", {class: "empty"},
            w("실행 디렉터리가 없습니다. jogak serve --runs DIR",
              "There is no folder of runs. jogak serve --runs DIR")));
      return;
    }
    replace(
        charts, all[0].element, skipped,
        h("div", {class: "two charts"}, all.slice(1).map((one) => one.element), samples.element),
        filmPlace);
    all[0].element.querySelector("header")?.append(
        check(w("로그 눈금", "log scale"), state.flag("log"), (on) => {
          state.set({log: on});
          drawCharts();
        }));
    root.append(h("div", {class: "split left"}, list.element, charts));
    await look();
    if (list.all.length === 0) {
      replace(
          charts,
          h("p", {class: "empty"},
            w("아직 실행이 없습니다. jogak train RECIPE.toml 로 하나 시작해 보세요.",
              "There is no run yet. Start one with jogak train RECIPE.toml.")));
    }
    await update(true);
    const timer = window.setInterval(() => {
      if (document.hidden) return;
      void look().then(() => update(false)).catch(() => undefined);
    }, 2000);
    signal.addEventListener("abort", () => clearInterval(timer));
    context.exports({
      name: "training",
      json: () => Object.fromEntries(known),
      svg: () => pictures(w("학습", "Training"), charts),
    });
  },
};
