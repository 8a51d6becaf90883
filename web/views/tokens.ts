// Tokens: how a text is cut, with ids and bytes; two tokenizers side by side.
import {Card, postJson} from "../api";
import {css, inkOn, Rgb, shade} from "../colour";
import {chips, select} from "../controls";
import {afterPause, h, replace} from "../dom";
import {withExample} from "../input";
import {sheet} from "../sheet";
import {card, Context, Place, View} from "../view";
import {count, visible, w} from "../words";

interface Token {
  id: number;
  token: string;
  bytes: number[];
  start: number;
  end: number;
  special: boolean;
}
interface Cut {
  tokens: Token[];
  vocab: number;
}

const hex = (bytes: number[]): string =>
    bytes.map((b) => b.toString(16).padStart(2, "0").toUpperCase()).join(" ");

// Neighbours differ, by lightness alone.
function tint(i: number): Rgb { return shade([0.1, 0.3, 0.18, 0.42][i % 4]); }

function drawCut(cut: Cut, text: string): HTMLElement {
  const detail = h("div", {class: "readout", "aria-live": "polite"});
  const letters = [...text];
  const list = h("div", {class: "cut", role: "list", "aria-label": w("토큰", "Tokens")});
  cut.tokens.slice(0, 2000).forEach((token, i) => {
    const colour = tint(i);
    const piece =
        h("button", {
          type: "button",
          class: token.special ? "piece special" : "piece",
          "aria-label": `${visible(token.token)}, ${token.id}`,
        },
          h("span", {class: "mono"}, visible(token.token)), h("small", {class: "mono"}, token.id));
    piece.style.background = css(colour);
    piece.style.color = inkOn(colour);
    const tell = () => replace(
        detail, h("b", {}, visible(token.token)), ` · id ${token.id} · `,
        token.special ? w("특수 토큰", "a special token") :
                        `“${letters.slice(token.start, token.end).join("")}” ${token.start}–${
                            token.end} · ${hex(token.bytes)}`);
    piece.addEventListener("focus", tell);
    piece.addEventListener("pointerenter", tell);
    list.append(h("span", {role: "listitem"}, piece));
  });
  const bytes = new TextEncoder().encode(text).length, plain = cut.tokens.filter((t) => !t.special);
  const each = (bytes / Math.max(1, plain.length)).toFixed(2);
  return h(
      "div", {class: "stack tight"},
      h("p", {class: "note"},
        w(`토큰 ${count(cut.tokens.length)}개 · 글자 ${count(letters.length)}개 · ${
              count(bytes)}바이트 · 토큰당 ${each}바이트 · 어휘 ${count(cut.vocab)}개`,
          `${count(cut.tokens.length)} tokens · ${count(letters.length)} characters · ${
              count(bytes)} bytes · ${each} bytes a token · vocabulary ${count(cut.vocab)}`)),
      list, detail);
}

export const tokens: View = {
  id: "tokens",
  group: "look",
  title: () => w("토큰", "Tokens"),
  lead: () =>
      w("글이 어떻게 잘리는가: 조각, 번호, 바이트. 토크나이저 둘을 나란히.",
        "How a text is cut: pieces, ids, bytes. Two tokenizers side by side."),
  needsModel: true,
  fits: (model) => model.reads === "text",
  render: async (context: Context) => {
    const {state, root, signal} = context, model = context.model as Card;
    const {example} = await withExample(model);
    const readers = context.models.filter((m) => m.reads === "text" && !m.trouble);
    const results = new Map<string, Cut>();
    const text = h("textarea", {rows: 3, class: "wide", name: "text", input: () => changed()});
    text.value = state.text("text", example?.text ?? "");
    const first = new Place(h("div", {id: "first"}), signal);
    const second = new Place(h("div", {id: "second"}), signal);
    const ask = async(id: string, source: boolean, stop?: AbortSignal): Promise<Cut> => {
      const got = await postJson<Cut>(
          `/api/models/${encodeURIComponent(id)}/tokens`, {text: text.value, source}, stop);
      results.set(id, got);
      return got;
    };
    const show = () => Promise.all([
      first.fill(
          async (stop) =>
              drawCut(await ask(model.id, state.text("side") !== "target", stop), text.value)),
      second.fill(async (stop) => {
        const other = state.text("other");
        if (!other)
          return h(
              "p", {class: "empty"},
              w("견주어 볼 토크나이저를 고르세요.", "Choose a tokenizer to compare with."));
        return drawCut(await ask(other, true, stop), text.value);
      }),
    ]);
    const changed = afterPause(150, () => {
      state.set({text: text.value === example?.text ? null : text.value});
      void show();
    });
    const sides = model.task === "translate" ?
        chips(
            w("어느 쪽", "Side"),
            [
              {value: "source", text: w("원문", "source")},
              {value: "target", text: w("번역", "translation")}
            ],
            state.text("side") || "source",
            (value) => {
              state.set({side: value});
              void show();
            }) :
        null;
    root.append(
        h("label", {class: "field"}, w("글", "Text"), text),
        h("div", {class: "two"}, card(model.id, sides, first.element),
          card(
              "",
              select(
                  w("다른 토크나이저", "Another tokenizer"),
                  [
                    {value: "", text: "–"},
                    ...readers.filter((m) => m.id !== model.id)
                        .map((m) => ({value: m.id, text: m.id}))
                  ],
                  state.text("other"),
                  (value) => {
                    state.set({other: value});
                    void show();
                  }),
              second.element)));
    context.exports({
      name: `tokens-${model.id}`,
      json: () => Object.fromEntries(results),
      svg: () => sheet(
          w("토큰", "Tokens"),
          [...results].flatMap(
              ([id, cut]) =>
                  [id, ...cut.tokens.map((t) => `${t.id}  ${visible(t.token)}  ${hex(t.bytes)}`)])),
    });
    await show();
  },
};
