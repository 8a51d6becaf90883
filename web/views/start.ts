// Start: the models there are, what each is for, and where to begin.
import {Card, getJson} from "../api";
import {h} from "../dom";
import {formula} from "../formula";
import {withExample} from "../input";
import {sheet} from "../sheet";
import {State} from "../state";
import {View} from "../view";
import {w} from "../words";

export const taskName = (task: Card["task"]): string => ({
  translate: w("번역", "translates"),
  generate: w("글을 이어 씀", "continues text"),
  fill: w("빈칸을 메움", "fills in words"),
  classify: w("분류", "classifies"),
  match: w("그림과 글을 견줌", "matches images and texts"),
  tag: w("토큰에 레이블", "labels tokens"),
  embed: w("벡터를 만듦", "makes vectors"),
  forecast: w("예측", "forecasts"),
})[task];

export const positionsName = (kind: string): string =>
    ({
      sinusoidal: w("사인 함수 위치", "sinusoidal positions"),
      learned: w("학습한 위치", "learned positions"),
      relative: w("상대 위치", "relative positions"),
      rotary: "RoPE",
      alibi: "ALiBi",
      none: w("위치 없음", "no positions"),
    })[kind] ??
    kind;

interface Contents {
  sections: {title: string; topics: {name: string; title: string}[]}[];
}

function exampleOf(model: Card): HTMLElement {
  const place = h("div", {class: "example"});
  void withExample(model).then(({example}) => {
    if (example?.image) {
      const picture = h("img", {
        src: `data:image/png;base64,${example.image}`,
        width: 56,
        height: 56,
        alt: w("예시 그림", "an example image")
      });
      picture.style.imageRendering = "pixelated";
      place.append(picture);
    } else if (example?.csv) {
      const lines = example.csv.trim().split("\n");
      place.append(
          h("span", {class: "mono small"}, `${lines[0]} … ${lines.length - 1} ${w("행", "rows")}`));
    } else
      place.append(h("span", {class: "mono small"}, example?.text ?? ""));
  }, () => undefined);
  return place;
}

function modelCard(model: Card): HTMLElement {
  if (model.trouble)
    return h(
        "article", {class: "card stack tight"}, h("h2", {}, model.id),
        h("p", {class: "trouble small"}, model.trouble));
  const to = (view: string) => new State().address({model: model.id}, view);
  const layers = model.encoder_layers ? `${model.encoder_layers}+${model.layers}` : model.layers;
  return h(
      "article", {class: "card stack tight model"},
      h("div", {class: "row"}, h("h2", {}, model.id), h("span", {class: "note"}, model.model_type)),
      h("p", {class: "small"}, taskName(model.task)),
      h("p", {class: "note"},
        `${layers} ${w("층", "layers")} × ${model.heads} ${w("헤드", "heads")} · ${
            w("너비", "width")} ${model.width} · ${positionsName(model.positions)}`),
      exampleOf(model),
      h("div", {class: "row small"},
        h("a", {href: to(model.task === "forecast" ? "forecast" : "try")}, w("써 보기", "Try")),
        h("a", {href: to("attention")}, w("어텐션", "Attention")),
        h("a", {href: to("pipeline")}, w("흐름", "Pipeline")),
        h("a", {href: to("positions")}, w("위치", "Positions")),
        h("a", {href: to("ablate")}, w("끄기", "Ablate"))));
}

export const start: View = {
  id: "start",
  group: "use",
  title: () => w("시작", "Start"),
  lead: () =>
      w("트랜스포머를 써 보고, 안을 들여다보고, 배우는 모습을 지켜봅니다.",
        "Try Transformers, look inside them, and watch them learn."),
  needsModel: false,
  render: async (context) => {
    const {models} = context;
    if (models.length === 0)
      context.root.append(
          h("p", {class: "empty"}, w("아직 모델이 없습니다. ", "There is no model yet. "),
            h("code", {}, "./scripts/quickstart.sh"),
            w(" 는 1분 남짓 만에 하나를 학습합니다.", " trains one in a minute or so.")));
    context.root.append(h("div", {class: "columns"}, models.map(modelCard)));
    const list = await getJson<Contents>(`/api/lessons?lang=${context.lang}`, context.signal);
    context.root.append(
        h("h2", {class: "topic"}, w("수업", "Lessons")),
        h("div", {class: "flowing"},
          list.sections.map(
              (section) =>
                  h("section", {class: "card contents plain"}, h("h3", {}, section.title),
                    section.topics.map(
                        (t) => h("a", {href: `#/lessons?topic=${t.name}`}, formula(t.title)))))));
    context.exports({
      name: "models",
      json: () => getJson("/api/models"),
      svg: () => sheet(
          "jogak",
          models.map((m) => `${m.id}   ${m.model_type ?? ""}   ${m.trouble ?? taskName(m.task)}`))
    });
  },
};
