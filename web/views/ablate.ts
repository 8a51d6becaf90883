// Ablate: parts switched off, one after the other, or exchanged with another input's; before and
// after.
import {Card, DataTable, Inspection, postJson, postText} from "../api";
import {bars} from "../chart";
import {chips, select} from "../controls";
import {Child, h, replace} from "../dom";
import {dropPlace, inputOf, inputPanel, withExample} from "../input";
import {pictureOf, tableOf} from "../picture";
import {card, Context, Place, View} from "../view";
import {number, percent, visible, w} from "../words";

type Mode = "off"|"each"|"patch";

const partName = (part: string): string => ({
                                             head: w("헤드", "head"),
                                             attention: w("어텐션", "attention"),
                                             cross: w("크로스 어텐션", "cross-attention"),
                                             ffn: w("피드포워드", "feed-forward"),
                                             norm: w("정규화", "norm"),
                                             residual: w("잔차", "residual"),
                                             layer: w("층 전체", "whole layer"),
                                             mask: w("마스크", "mask"),
                                             scale: w("√d로 나눔", "scale by √d"),
                                             positions: w("위치", "positions"),
                                           })[part] ??
    part;

// The parts of a list, as the command line names them: "head:0.1,ffn:1".
class Parts {
  constructor(private context: Context, private key: string) {}
  list(): string[] {
    return this.context.state.text(this.key).split(",").filter((part) => part !== "");
  }
  has(part: string): boolean { return this.list().includes(part); }
  toggle(part: string): void {
    const list = this.list();
    this.context.state.set({
      [this.key]: (this.has(part) ? list.filter((one) => one !== part) : [...list, part]).join(",")
    });
  }
}

function switches(
    context: Context, parts: Parts, changed: () => void, patches = false): HTMLElement {
  const model = context.model as Card, {state} = context, place = h("div", {class: "stack tight"});
  const pair = model.wiring === "encoder-decoder";
  const draw = () => {
    const source = pair && state.text("side") === "encoder",
          layers = source ? model.encoder_layers ?? model.layers : model.layers;
    const before = source ? "encoder." : "", cross = pair && !source;
    const one = (part: string, text: string) =>
        h("button", {
          type: "button",
          class: patches ? "" : "off",
          "aria-pressed": String(parts.has(part)),
          "data-part": part,
          click: () => {
            parts.toggle(part);
            draw();
            changed();
          }
        },
          text);
    const wholes = ["attention", ...(cross ? ["cross"] : []), "ffn", "norm", "residual", "layer"];
    const line = (layer: number) => h(
        "div", {class: "switches"}, h("span", {class: "mono soft"}, `${w("층", "layer")} ${layer}`),
        h("div", {class: "chips", role: "group", "aria-label": `${w("층", "layer")} ${layer}`},
          Array.from(
              {length: model.heads},
              (_, i) => one(`head:${before}${layer}.${i}`, `${w("헤드", "head")} ${i}`)),
          wholes.map((part) => one(`${part}:${before}${layer}`, partName(part)))));
    const many = layers > 6, chosen = Math.min(layers - 1, state.number("layer", 0));
    replace(
        place,
        h("div", {class: "row"},
          pair ? chips(
                     w("어느 쪽", "Side"),
                     [
                       {value: "", text: w("디코더", "decoder")},
                       {value: "encoder", text: w("인코더", "encoder")}
                     ],
                     source ? "encoder" : "",
                     (value) => {
                       state.set({side: value});
                       draw();
                     }) :
                 null,
          many ? select(
                     w("층", "Layer"),
                     Array.from({length: layers}, (_, i) => ({value: String(i), text: String(i)})),
                     String(chosen),
                     (value) => {
                       state.set({layer: Number(value)});
                       draw();
                     }) :
                 null,
          parts.list().length > 0 ?
              h("button", {
                type: "button",
                class: "plain",
                click: () => {
                  for (const part of parts.list()) parts.toggle(part);
                  draw();
                  changed();
                }
              },
                patches ? w("고른 것 지우기", "Choose none") : w("모두 켜기", "Switch all on")) :
              null),
        h("div", {class: "switches"}, h("span", {class: "mono soft"}, w("모든 층", "everywhere")),
          h("div", {class: "chips", role: "group", "aria-label": w("모든 층", "everywhere")},
            [
              ...(patches ? [] : ["mask", "scale", "positions"]), "norm", "residual", "ffn",
              "attention", ...(cross ? ["cross"] : [])
            ].map((part) => one(part, partName(part))))),
        many ? line(chosen) : Array.from({length: layers}, (_, i) => line(i)));
  };
  draw();
  return place;
}

// Of which token: by its name where a text has them.
async function chooseToken(
    context: Context, place: HTMLElement, changed: () => void): Promise<void> {
  const {state} = context, model = context.model as Card;
  const names = (list: string[]) => list.map((text, i) => ({value: String(i), text}));
  let tokens = names(Array.from({length: 64}, (_, i) => String(i)));
  if (model.reads === "text" && model.task !== "translate") {
    const got = await postJson<{tokens: {token: string}[]}>(
        `/api/models/${encodeURIComponent(model.id)}/tokens`,
        {text: (await inputOf(context)).text ?? "", source: true}, context.signal);
    tokens = names(got.tokens.slice(0, 512).map((one, i) => `${i} ${visible(one.token)}`));
  }
  const all = [{value: "", text: w("모두", "all")}, ...tokens];
  replace(place, select(w("토큰", "Token"), all, state.text("at"), (value) => {
            state.set({at: value});
            changed();
          }));
}

function change(shown: Inspection): HTMLElement {
  const fact = (key: string): number|null =>
      (typeof shown[key] === "number" ? (shown[key] as number) : null);
  const big = (name: string, value: string, note = "") =>
      h("div", {class: "fact"}, h("span", {class: "note"}, name), h("b", {class: "mono"}, value),
        h("span", {class: "note"}, note));
  const table = (name: string): DataTable|undefined => shown.tables.find((t) => t.name === name);
  const top = table("top"), before = fact("loss_before"), after = fact("loss_after");
  const parts: Child[] = [
    h("div", {class: "facts"},
      before !== null && after !== null ?
          big(w("손실", "loss"), `${number(before)} → ${number(after)}`,
              `${after >= before ? "+" : "−"}${number(Math.abs(after - before))}`) :
          null,
      fact("divergence") !== null ?
          big(w("답의 차이", "divergence"), `${number(fact("divergence"))}`, w("비트", "bits")) :
          null,
      fact("changed") !== null ?
          big(w("바뀐 답", "answers changed"), percent(fact("changed") as number)) :
          null,
      fact("distance") !== null ? big(w("값의 차이", "distance"), number(fact("distance"))) : null),
  ];
  if (top)
    parts.push(card(
        top.title,
        h("div", {class: "legend"}, h("span", {}, h("i", {class: "before"}), w("전", "before")),
          h("span", {}, h("i", {class: "after"}), w("후", "after"))),
        bars(
            top.rows.map(
                (row) => (
                    {name: visible(String(row[0])), value: Number(row[1]), other: Number(row[2])})),
            {title: top.title, text: percent, high: 1})));
  for (const picture of shown.pictures) parts.push(pictureOf(picture));
  const answers = table("answers") ?? table("forecast");
  if (answers)
    parts.push(
        h("details", {}, h("summary", {}, answers.title || w("자리마다", "Place by place")),
          tableOf(answers)));
  return h("div", {class: "stack", id: "change"}, parts);
}

export const ablate: View = {
  id: "ablate",
  group: "look",
  title: () => w("끄기", "Ablate"),
  lead: () =>
      w("부분을 끄면 무엇이 달라질까: 끄기 전과 후를 나란히 봅니다.",
        "What is left without a part. Before and after, side by side."),
  needsModel: true,
  render: async (context) => {
    const {state, root} = context, model = await withExample(context.model as Card);
    const path = `/api/models/${encodeURIComponent(model.id)}/ablate`;
    const result = new Place(h("div"), context.signal), controls = h("div", {class: "stack"});
    const off = new Parts(context, "off"), patch = new Parts(context, "patch");
    let mode = (state.text("mode") || "off") as Mode;
    const asked = async(): Promise<Record<string, unknown>|null> => {
      const base = {input: await inputOf(context), lang: context.lang};
      if (mode === "each") return {...base, each: state.text("each") || "head"};
      if (mode === "off")
        return off.list().length > 0 ? {...base, off: off.list().join(",")} : null;
      const from = model.reads === "text" ? {
        text: state.text("from"),
        ...(state.text("target") ? {target: state.text("target")} : {})
      } :
                                            {file: state.text("from_file", "example")};
      if (patch.list().length === 0 || (model.reads === "text" && !state.text("from"))) return null;
      return {
        ...base,
        patch: patch.list().join(","),
        from,
        ...(state.has("at") ? {at: state.number("at", 0)} : {})
      };
    };
    const run = () => result.fill(async (signal) => {
      const body = await asked();
      if (!body)
        return h(
            "p", {class: "empty"},
            mode === "off" ? w("위에서 끌 부분을 골라 보세요.", "Switch a part off above.") :
                             w("가져올 입력을 쓰고, 가져올 부분을 고르세요.",
                               "Give another input, and choose the parts to take from it."));
      const shown = await postJson<Inspection>(path, body, signal);
      if (mode !== "each") return change(shown);
      const each = shown.tables.find((t) => t.name === "each");
      if (!each) return tableOf(shown.tables[0]);
      return card(
          w("그 부분이 없으면 손실이 얼마나 바뀌나", "How the loss changes without each"),
          h("p", {class: "note"}, w("누르면 그 부분을 끕니다.", "Click one to switch it off.")),
          bars(each.rows.map((row) => ({name: String(row[0]), value: Number(row[1])})), {
            title: each.title,
            pick: (i) => {
              mode = "off";
              state.set({mode: null, off: String(each.rows[i][0])});
              drawControls();
              void run();
            }
          }));
    });
    const drawControls = () => {
      const tabs = chips(
          w("어떻게", "How"),
          [
            {value: "off", text: w("끄기", "Switch off")},
            {value: "each", text: w("하나씩", "One by one")},
            {value: "patch", text: w("바꿔 끼우기", "Patch")}
          ],
          mode, (value) => {
            mode = value as Mode;
            state.set({mode: value === "off" ? null : value});
            drawControls();
            void run();
          });
      const inside: Child[] = [];
      if (mode === "off") inside.push(switches(context, off, () => void run()));
      if (mode === "each")
        inside.push(chips(
            w("무엇을", "Which"),
            [
              "head", "layer", "ffn", "attention", "norm", "residual",
              ...(model.task === "translate" ? ["cross"] : [])
            ].map((value) => ({value, text: partName(value)})),
            state.text("each") || "head", (value) => {
              state.set({each: value});
              void run();
            }));
      if (mode === "patch") {
        const which = h("div");
        void chooseToken(context, which, () => void run());
        const field = h("input", {
          type: "text",
          value: state.text("from"),
          class: "wide",
          change: () => {
            state.set({from: field.value});
            void run();
          }
        });
        inside.push(
            h("div", {class: "row end"},
              model.reads === "text" ?
                  h("label", {class: "field grow"},
                    w("다른 글 (토큰 수가 같아야 합니다)", "Another text (of as many tokens)"),
                    field) :
                  h("div", {class: "stack tight grow"},
                    h("span", {class: "note"}, w("가져올 입력", "The input to take from")),
                    dropPlace(context, model, () => void run(), "from_file")),
              which),
            switches(context, patch, () => void run(), true));
      }
      replace(controls, h("section", {class: "card stack"}, tabs, ...inside));
    };
    drawControls();
    root.append(await inputPanel(context, () => void run()), controls, result.element);
    const wanted = async () =>
        (await asked()) ?? {input: await inputOf(context), each: "layer", lang: context.lang};
    context.exports({
      name: `ablate-${model.id}`,
      json: async () => postJson(path, await wanted()),
      svg: async () => postText(path, {...(await wanted()), form: "svg"})
    });
    await run();
  },
};
