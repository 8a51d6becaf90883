// Lessons: every topic with the reader's own numbers, changing while they type; exercises marked in
// place.
import {getJson, Picture, postJson, postText, query} from "../api";
import {button, check, chips, select} from "../controls";
import {afterPause, append, Child, h, replace} from "../dom";
import {formula} from "../formula";
import {pictureOf} from "../picture";
import {sheet} from "../sheet";
import {State} from "../state";
import {card, Context, Place, trouble, View} from "../view";
import {number, w} from "../words";

interface Topic {
  name: string;
  title: string;
  inputs: {name: string; kind: string; meaning: string; shape: string}[];
  causal: boolean;
  transpose: boolean;
  words: boolean;
  model: boolean;
}
interface List {
  sections: {title: string; topics: Topic[]}[];
  chapters: string[];
}
interface Table {
  name: string;
  caption: string;
  rows: string[];
  columns: string[];
  values: (number|null)[][];
}
interface Lesson {
  title: string;
  inputs: {[name: string]: number[][]};
  steps: {
    name: string; title: string; text: string; formula: string; shape: string; work: string[];
    tables: Table[];
  }[];
  pictures: Picture[];
  code: {numpy: string; pytorch: string};
}
interface Exercises {
  title: string;
  exercises: {id: string; topic: string; title: string; question: string; given: string[]}[];
}
interface Mark {
  mark: "right"|"wrong"|"empty";
  solution: string[];
  wanted: number[];
}

function drawTable(t: Table): HTMLElement {
  const many = t.columns.length > 0;
  return h(
      "div", {class: "scroll"},
      h("table", {}, h("caption", {class: "mono small soft"}, formula(t.caption || t.name)),
        many ? h("thead", {},
                 h("tr", {}, t.rows.length > 0 ? h("td") : null,
                   t.columns.map((c) => h("th", {class: "number", scope: "col"}, formula(c))))) :
               null,
        h("tbody", {},
          t.values.map(
              (row, i) =>
                  h("tr", {},
                    t.rows[i] !== undefined ? h("th", {scope: "row"}, formula(t.rows[i])) : null,
                    row.map((x) => h("td", {class: "number"}, x === null ? "−∞" : number(x))))))));
}

function drawLesson(lesson: Lesson): HTMLElement {
  return h(
      "div", {class: "stack", id: "lesson"},
      lesson.steps.map(
          (step, i) => card(
              [`${i + 1}. `, formula(step.title)],
              step.text ? h("p", {}, formula(step.text)) : null,
              step.formula ? h("div", {class: "formula"}, formula(step.formula)) : null,
              step.shape ? h("p", {class: "note mono"}, formula(step.shape)) : null,
              step.work.length > 0 ? h("ul", {class: "work mono small"},
                                       step.work.map((line) => h("li", {}, formula(line)))) :
                                     null,
              h("div", {class: "row tables"}, step.tables.map(drawTable)))),
      lesson.pictures.filter((p) => p.kind !== "diagram").map(pictureOf),
      lesson.code.numpy ? h("details", {class: "card"}, h("summary", {}, w("NumPy로", "In NumPy")),
                            h("div", {class: "formula"}, lesson.code.numpy)) :
                          null);
}

const written = (rows: number[][]): string =>
    rows.map((row) => row.map((x) => (x === null ? "-inf" : String(x))).join(", ")).join("; ");

async function showTopic(context: Context, topic: Topic): Promise<Child> {
  const {state, signal} = context;
  const place = new Place(h("div"), signal), fields = new Map<string, HTMLInputElement>();
  const asked = () => {
    const inputs: {[name: string]: string} = {};
    for (const input of topic.inputs)
      if (state.text(`in.${input.name}`)) inputs[input.name] = state.text(`in.${input.name}`);
    return {
      lang: context.lang,
      level: state.text("level") || "student",
      inputs,
      ...(topic.words && state.text("words") ? {text: state.text("words")} : {}),
      ...(topic.causal ? {causal: state.flag("causal")} : {}),
      ...(topic.transpose ? {transpose: state.flag("transpose")} : {}),
      ...(topic.model && state.text("model") ? {model: state.text("model")} : {}),
    };
  };
  const path = `/api/lessons/${encodeURIComponent(topic.name)}`;
  const show = () => place.fill(async (stop) => {
    const lesson = await postJson<Lesson>(path, asked(), stop);
    for (const [name, field] of fields)
      if (field.value === "" && lesson.inputs[name])
        field.placeholder = written(lesson.inputs[name]).slice(0, 200);
    return drawLesson(lesson);
  });
  const later = afterPause(200, () => void show());
  const form = h("div", {class: "row end"});
  for (const input of topic.inputs) {
    const field: HTMLInputElement = h("input", {
      type: "text",
      value: state.text(`in.${input.name}`),
      name: input.name,
      class: "mono",
      autocomplete: "off",
      input: () => {
        state.set({[`in.${input.name}`]: field.value});
        later();
      },
    });
    fields.set(input.name, field);
    form.append(h("label", {class: "field grow"}, `${input.name}: ${input.meaning}`, field));
  }
  if (topic.words) {
    const field: HTMLInputElement = h("input", {
      type: "text",
      value: state.text("words"),
      input: () => {
        state.set({words: field.value});
        later();
      }
    });
    form.append(h("label", {class: "field grow"}, w("단어", "words"), field));
  }
  const flag = (name: string, key: string) => check(name, state.flag(key), (on) => {
    state.set({[key]: on});
    void show();
  });
  if (topic.causal) form.append(flag(w("인과 마스크", "causal mask"), "causal"));
  if (topic.transpose) form.append(flag(w("전치", "transposed"), "transpose"));
  if (topic.model)
    form.append(select(
        w("모델", "Model"),
        [
          {value: "", text: w("예시", "example")},
          ...context.models.filter((m) => !m.trouble).map((m) => ({value: m.id, text: m.id}))
        ],
        state.text("model"), (value) => {
          state.set({model: value});
          void show();
        }));
  context.exports({
    name: `lesson-${topic.name}`,
    json: () => postJson(path, asked()),
    svg: () => postText(path, {...asked(), form: "svg"}),
  });
  void show();
  return [
    h("div", {class: "row"}, h("h2", {class: "topic"}, formula(topic.title)),
      chips(
          w("수준", "Level"),
          [
            {value: "story", text: w("이야기", "story")},
            {value: "student", text: w("학생", "student")},
            {value: "math", text: w("수학", "mathematics")}
          ],
          state.text("level") || "student",
          (value) => {
            state.set({level: value === "student" ? null : value});
            void show();
          })),
    topic.inputs.length > 0 || topic.words || topic.model || topic.causal ?
        card(w("직접 넣은 수로", "With your own numbers"), form) :
        null,
    place.element,
  ];
}

function drawMark(mark: Mark): Child {
  const words = {
    right: w("✓ 맞았습니다", "✓ Right"),
    wrong: w("✗ 아직 아닙니다", "✗ Not yet"),
    empty: w("답을 쓰세요", "Write an answer"),
  };
  return [
    h("p", {class: `mark ${mark.mark}`}, words[mark.mark]),
    mark.mark === "wrong" ? h("details", {}, h("summary", {}, w("풀이", "Solution")),
                              h("ul", {class: "work mono small"},
                                mark.solution.map((line) => h("li", {}, formula(line))))) :
                            null,
  ];
}

async function showExercises(context: Context): Promise<Child> {
  const {state} = context, chapter = state.number("chapter", 1), seed = state.number("seed", 1);
  const got = await getJson<Exercises>(
      `/api/exercises?${query({chapter, seed, lang: context.lang})}`, context.signal);
  context.exports({
    name: `exercises-${chapter}`,
    json: () => got,
    svg: () => sheet(
        got.title, got.exercises.flatMap((one) => [`${one.id} ${one.question}`, ...one.given])),
  });
  return [
    h("div", {class: "row"}, h("h2", {class: "topic"}, got.title),
      button(
          w("다른 수로", "Other numbers"),
          () => new State().go({chapter, seed: seed + 1}, "lessons"))),
    got.exercises.map((one) => {
      const said = h("div", {"aria-live": "polite"});
      const kept = `answer.${one.id}`;
      const answer = h("input", {
        type: "text",
        class: "mono",
        name: one.id,
        autocomplete: "off",
        value: state.text(kept)
      });
      const mark = () => {
        const body = {id: one.id, seed, answer: answer.value, lang: context.lang};
        void postJson<Mark>("/api/exercises/mark", body, context.signal)
            .then(
                (made) => replace(said, drawMark(made)),
                (error) => context.signal.aborted || replace(said, trouble(error)));
      };
      if (state.text(kept)) mark();
      const form =
          h("form", {
            class: "row end",
            submit: (event: Event) => {
              event.preventDefault();
              state.set({[kept]: answer.value});
              mark();
            },
          },
            h("label", {class: "field grow"}, w("답", "Answer"), answer),
            h("button", {type: "submit"}, w("채점", "Mark")));
      return card(
          [`${one.id} `, formula(one.title)], h("p", {}, formula(one.question)),
          one.given.map((line) => h("div", {class: "formula"}, formula(line))), form, said,
          h("p", {class: "note"},
            h("a", {href: `#/lessons?topic=${one.topic}`}, w("수업으로", "To the lesson"))));
    }),
  ];
}

export const lessons: View = {
  id: "lessons",
  group: "learn",
  title: () => w("수업", "Lessons"),
  lead: () =>
      w("트랜스포머의 모든 부분을 직접 넣은 수로. 입력하는 동안 바뀝니다.",
        "Every part of the Transformer with your own numbers, changing as you type."),
  needsModel: false,
  render: async (context) => {
    const {state, root} = context;
    const list = await getJson<List>(`/api/lessons?lang=${context.lang}`, context.signal);
    const all = list.sections.flatMap((section) => section.topics);
    const topic = all.find((one) => one.name === state.text("topic")) ?? all[0];
    const exercising = state.has("chapter");
    const nav = h("nav", {class: "card contents", "aria-label": w("차례", "Contents")});
    const link = (text: string, address: string, here: boolean) =>
        h("a", {href: `#/lessons?${address}`, "aria-current": here ? "page" : null}, formula(text));
    for (const section of list.sections)
      append(nav, [
        h("h3", {}, section.title),
        section.topics.map(
            (one) => link(one.title, `topic=${one.name}`, !exercising && one === topic)),
      ]);
    append(nav, [
      h("h3", {}, w("연습 문제", "Exercises")),
      list.chapters.map(
          (name, i) =>
              link(name, `chapter=${i + 1}`, exercising && state.number("chapter", 1) === i + 1)),
    ]);
    const body = h("div", {class: "stack"});
    root.append(h("div", {class: "split left"}, nav, body));
    replace(body, exercising ? await showExercises(context) : await showTopic(context, topic));
  },
};
