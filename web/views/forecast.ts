// Forecast: what was, what is expected, how sure, and how far off it has been.
import {Card, postJson} from "../api";
import {Chart, Series} from "../chart";
import {slider} from "../controls";
import {h} from "../dom";
import {inputOf, inputPanel} from "../input";
import {figure} from "../picture";
import {pictures} from "../sheet";
import {Place, View} from "../view";
import {number, w} from "../words";

interface Forecast {
  horizon: number;
  windows: number;
  series: {
    name: string; dates: string[]; values: number[];
    quantiles?: {[share: string]: number[]}; past: number[]; dates_past: string[];
    error: (number | null)[];
  }[];
}

// The time of day counts where several rows are of one day.
function shortDate(date: string, hours: boolean): string {
  return hours ? date.slice(5, 16).replace("T", " ") : date.slice(0, 10);
}

function drawSeries(one: Forecast["series"][number]): HTMLElement {
  const dates = [...one.dates_past, ...one.dates], turn = one.past.length;
  const hours = dates.some((date, i) => i > 0 && date.slice(0, 10) === dates[i - 1].slice(0, 10));
  const known: Series =
      {name: w("지금까지", "so far"), x: one.past.map((_, i) => i), y: one.past, colour: 4};
  const bands = Object.entries(one.quantiles ?? {}).sort(([a], [b]) => Number(a) - Number(b));
  // The forecast begins where the past ends.
  const ahead: Series = {
    name: w("예측", "forecast"),
    x: [turn - 1, ...one.values.map((_, i) => turn + i)],
    y: [one.past[turn - 1], ...one.values],
    low: bands.length > 1 ? [one.past[turn - 1], ...bands[0][1]] : undefined,
    high: bands.length > 1 ? [one.past[turn - 1], ...bands[bands.length - 1][1]] : undefined,
    colour: 0,
  };
  return new Chart({
           series: [known, ahead],
           title: one.name,
           xTitle: "",
           mark: {x: turn - 0.5, text: w("여기서부터 예측", "forecast from here")},
           xText: (i) => (Number.isInteger(i) ? shortDate(dates[i] ?? "", hours) : ""),
         })
      .element;
}

export const forecast: View = {
  id: "forecast",
  group: "use",
  title: () => w("예측", "Forecast"),
  lead: () =>
      w("시계열이 어떻게 이어질지: 예측과 그 구간, 그리고 앞으로 갈수록 얼마나 빗나갔는지.",
        "How a series goes on: the forecast, its band, and how far off it has been by horizon."),
  needsModel: true,
  fits: (model) => model.task === "forecast",
  render: async (context) => {
    const {state, root, signal} = context, model = context.model as Card;
    const place = new Place(h("div", {class: "stack"}), signal);
    const band = () => state.number("band", 80);
    const ask = async(stop?: AbortSignal): Promise<Forecast> => {
      const half = band() / 200;
      return postJson<Forecast>(
          `/api/models/${encodeURIComponent(model.id)}/forecast`, {
            input: await inputOf(context),
            horizon: state.number("horizon", 0),
            quantiles: [Number((0.5 - half).toFixed(3)), Number((0.5 + half).toFixed(3))],
          },
          stop);
    };
    const show = () => place.fill(async (stop) => {
      const got = await ask(stop);
      const steps = got.series[0]?.values.map((_, i) => i + 1) ?? [];
      const error = new Chart({
        series: got.series.map((one) => ({name: one.name, x: steps, y: one.error})),
        title: w("몇 스텝 앞인지에 따른 오차", "error by horizon"),
        xTitle: w("몇 스텝 앞", "steps ahead"),
      });
      return h(
          "div", {class: "stack"},
          got.series.slice(0, 12).map(
              (one) => figure(
                  one.name,
                  `${w("마지막 예측값", "last forecast")} ${
                      number(one.values[one.values.length - 1])}${
                      one.quantiles ?
                          w(` · 옅은 띠: ${band()}% 구간`, ` · pale: the ${band()}% band`) :
                          ""}`,
                  drawSeries(one))),
          figure(
              w("몇 스텝 앞인지에 따른 오차", "Error by horizon"),
              w(`지난 ${got.windows}개 구간에서 잰 평균 절대 오차`,
                `mean absolute error over ${got.windows} windows of the past`),
              error.element));
    });
    const control =
        (name: string, key: string, low: number, high: number, step: number, at: number,
         text?: (x: number) => string) =>
            slider(name, {low, high, step, text}, state.number(key, at), (value) => {
              state.set({[key]: value === at ? null : value});
              void show();
            });
    root.append(
        await inputPanel(context, () => void show()),
        h("div", {class: "row end"},
          control(
              w("예측할 스텝", "steps"), "horizon", 0, 200, 1, 0,
              (x) => (x === 0 ? w("모델대로", "the model's") : String(x))),
          control(w("구간", "band"), "band", 10, 98, 2, 80, (x) => `${x}%`)),
        place.element);
    context.exports({
      name: `forecast-${model.id}`,
      json: () => ask(),
      svg: () => pictures(w("예측", "Forecast"), root),
    });
    await show();
  },
};
