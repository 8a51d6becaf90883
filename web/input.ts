// What a model is shown: a text, a pair of texts, an image or a series; kept in the address.
import {Card, getJson, postJson} from "./api";
import {button} from "./controls";
import {h, replace} from "./dom";
import {Context, trouble} from "./view";
import {w} from "./words";

export interface Input {
  text?: string;
  target?: string;
  file?: string;
  label?: string;
}

export async function withExample(model: Card): Promise<Card> {
  if (!model.example && !model.trouble)
    model.example =
        (await getJson<Card>(`/api/models/${encodeURIComponent(model.id)}`)).example ?? {};
  return model;
}

// As the address says, else the model's own example.
export async function inputOf(context: Context): Promise<Input> {
  const model = context.model as Card, typed = context.state.has("text");
  if (!typed) await withExample(model);
  const file = context.state.text("file", "example");
  if (model.task === "match")
    return {file, text: context.state.text("text", model.example?.text ?? "")};
  if (model.reads !== "text") return {file};
  const input: Input = {text: typed ? context.state.text("text") : model.example?.text ?? ""};
  if (model.task === "translate") {
    const target = context.state.text("target");
    if (target) input.target = target;
  }
  return input;
}

function imageSource(model: Card, file: string): string {
  return file === "example" && model.example?.image ?
      `data:image/png;base64,${model.example.image}` :
      `/api/inputs/${file}`;
}

function base64(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 0x8000)
    out += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(out);
}

async function keep(model: Card, file: File): Promise<string> {
  const value = model.reads === "image" ?
      {image: base64(new Uint8Array(await file.arrayBuffer()))} :
      {csv: await file.text()};
  return (await postJson<{id: string}>("/api/inputs", value)).id;
}

// A file dropped or chosen; `key` of the address names it.
export function dropPlace(
    context: Context, model: Card, changed: () => void, key = "file"): HTMLElement {
  const image = model.reads === "image";
  const picker = h("input", {
    type: "file",
    accept: image ? "image/png,image/jpeg" : ".csv,text/csv",
    class: "hidden",
    tabindex: -1,
    "aria-label": w("파일", "File")
  });
  const said = h("span", {class: "small soft"});
  const preview = h("span");
  const show = () => {
    const file = context.state.text(key, "example");
    if (image) {
      const picture = h("img", {
        src: imageSource(model, file),
        width: 64,
        height: 64,
        alt: w("입력 그림", "the input image")
      });
      picture.style.imageRendering = "pixelated";
      picture.style.objectFit = "contain";
      replace(preview, picture);
    }
    said.textContent = file === "example" ? w("예시", "example") : w("놓은 파일", "your file");
  };
  const take = async (file: File|undefined) => {
    if (!file) return;
    try {
      context.state.set({[key]: await keep(model, file)});
      show();
      changed();
    } catch (error) {
      replace(preview, trouble(error));
    }
  };
  picker.addEventListener("change", () => void take(picker.files?.[0]));
  const place: HTMLElement = h(
      "div",
      {
        class: "drop",
        dragover: (event: DragEvent) => {
          event.preventDefault();
          place.classList.add("over");
        },
        dragleave: () => place.classList.remove("over"),
        drop: (event: DragEvent) => {
          event.preventDefault();
          place.classList.remove("over");
          void take(event.dataTransfer?.files[0]);
        },
      },
      preview,
      h("span", {class: "grow"},
        image ? w("PNG나 JPEG를 여기에 놓으세요", "Drop a PNG or JPEG here") :
                w("CSV를 여기에 놓으세요", "Drop a CSV here"),
        " · ", said),
      button(w("파일 고르기", "Choose a file"), () => picker.click()),
      button(
          w("예시로", "Example"),
          () => {
            context.state.set({[key]: null});
            show();
            changed();
          }),
      picker,
  );
  show();
  return place;
}

// What stands beside an image, for a model that reads both.
function sentence(context: Context, model: Card, changed: () => void): HTMLElement {
  const field: HTMLInputElement = h("input", {
    type: "text",
    value: context.state.text("text", model.example?.text ?? ""),
    class: "wide",
    maxlength: 20000,
    name: "text",
    autocomplete: "off",
    change: () => {
      context.state.set({text: field.value === model.example?.text ? null : field.value});
      changed();
    },
  });
  return h("label", {class: "field grow"}, w("그림 곁의 글", "The text beside the image"), field);
}

// What a model does when it is put to work.
function verb(model: Card): string {
  if (model.task === "translate") return w("번역", "Translate");
  if (model.task === "fill") return w("채우기", "Fill in");
  return model.task === "classify" ? w("분류", "Classify") : w("해 보기", "Try");
}

// Fields for the input of this view's model. `changed` is called when the user is done typing.
// Without `beside`, of an image alone, and of a source without its translation.
export async function inputPanel(
    context: Context, changed: () => void, beside = true): Promise<HTMLElement> {
  const model = await withExample(context.model as Card);
  if (model.task === "match" && beside)
    return h(
        "div", {class: "stack tight"}, dropPlace(context, model, changed),
        sentence(context, model, changed));
  if (model.reads !== "text") return dropPlace(context, model, changed);
  const input = await inputOf(context);
  const form = h("form", {
    class: "row end",
    submit: (event: Event) => {
      event.preventDefault();
      context.state.set({
        text: text.value === model.example?.text ? null : text.value,
        ...(target ? {target: target.value} : {}),
      });
      changed();
    },
  });
  const text = h("input", {
    type: "text",
    value: input.text ?? "",
    class: "wide",
    maxlength: 20000,
    name: "text",
    autocomplete: "off"
  });
  const target = model.task === "translate" && beside ? h("input", {
    type: "text",
    value: input.target ?? "",
    class: "wide",
    maxlength: 20000,
    name: "target",
    autocomplete: "off",
    placeholder: w("비우면 모델의 번역", "empty: the model's own")
  }) :
                                                        null;
  form.append(
      h("label", {class: "field grow"},
        model.task === "translate" ? w("원문", "Source") : w("글", "Text"), text),
  );
  if (target) form.append(h("label", {class: "field grow"}, w("번역", "Translation"), target));
  form.append(
      h("button", {class: "main", type: "submit"}, beside ? w("보기", "Look") : verb(model)));
  return form;
}
