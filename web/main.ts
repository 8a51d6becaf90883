// The frame around the views: the rail, the model, the language, the theme, the address.
import {Card, getJson, onKeyWanted} from "./api";
import {currentTheme, setTheme} from "./colour";
import {button, select} from "./controls";
import {h, replace} from "./dom";
import {State} from "./state";
import {Context, Exports, save, trouble, View} from "./view";
import {views} from "./views/all";
import {currentLang, Lang, setLang, w} from "./words";

interface ServerState {
  lang: Lang;
  runs: string;
  ready: boolean;
}

let server: ServerState = {lang: "en", runs: "", ready: true};
let models: Card[] = [];
let leave = new AbortController();
const rail = h("header", {class: "rail"});
const main = h("main", {id: "main", tabindex: -1});

const groups = (): [View["group"], string][] => [
    ["use", w("모델 쓰기", "Use")],
    ["look", w("들여다보기", "Look inside")],
    ["train", w("가르치기", "Train")],
    ["learn", w("배우기", "Learn")],
];

function modelFor(view: View, state: State): Card|null {
  if (!view.needsModel) return null;
  const fitting = models.filter((m) => !m.trouble && (!view.fits || view.fits(m)));
  return fitting.find((m) => m.id === state.text("model")) ?? fitting[0] ?? null;
}

const links = new Map<string, HTMLAnchorElement>();

// What was typed goes along to the next view.
function pointLinks(): void {
  const state = State.read(), address = new State();
  for (const key of ["model", "text", "target", "file"])
    if (state.has(key)) address.values.set(key, state.text(key));
  for (const [view, link] of links) link.setAttribute("href", address.address({}, view));
}

function drawRail(state: State): void {
  const nav = h("nav", {"aria-label": w("보기", "Views"), id: "views"});
  for (const [group, name] of groups()) {
    nav.append(h("div", {class: "group"}, name));
    for (const view of views.filter((v) => v.group === group)) {
      const link =
          h("a", {
            "aria-current": view.id === state.view ? "page" : null,
            click: () => rail.classList.remove("open")
          },
            view.title());
      links.set(view.id, link);
      nav.append(link);
    }
  }
  pointLinks();
  const menu: HTMLElement =
      h("button", {
        type: "button",
        class: "menu",
        "aria-expanded": "false",
        "aria-controls": "views",
        click: () => menu.setAttribute("aria-expanded", String(rail.classList.toggle("open")))
      },
        "☰ ", w("보기", "Views"));
  const other: Lang = currentLang() === "ko" ? "en" : "ko";
  replace(
      rail,
      h("a", {class: "brand", href: "#/start"}, "jogak", h("span", {lang: "ko"}, "조각")),
      menu,
      nav,
      h("div", {class: "foot"},
        h("button", {type: "button", class: "plain", lang: other, click: () => chooseLang(other)},
          other === "ko" ? "한국어" : "English"),
        button(
            currentTheme() === "dark" ? w("밝게", "Light") : w("어둡게", "Dark"),
            () => {
              setTheme(currentTheme() === "dark" ? "light" : "dark");
              localStorage.setItem("jogak-theme", currentTheme());
              void draw();
            },
            "plain")),
  );
}

function chooseLang(to: Lang): void {
  localStorage.setItem("jogak-lang", to);
  setLang(to);
  void draw();
}

function tools(exports: Exports): HTMLElement {
  const guarded = (work: () => Promise<void>) => () =>
      void work().catch((error) => main.append(trouble(error)));
  const copyLink = button(w("주소 복사", "Copy link"), guarded(async () => {
                            await navigator.clipboard.writeText(location.href);
                            copyLink.textContent = w("복사했습니다", "Copied");
                          }));
  return h(
      "div", {class: "tools"},
      button(
          "SVG",
          guarded(async () => save(`${exports.name}.svg`, "image/svg+xml", await exports.svg()))),
      button(
          "JSON",
          guarded(
              async () => save(
                  `${exports.name}.json`, "application/json",
                  JSON.stringify(await exports.json(), null, 1)))),
      copyLink);
}

async function draw(): Promise<void> {
  leave.abort();
  leave = new AbortController();
  const {signal} = leave;
  const state = State.read();
  const view = views.find((v) => v.id === state.view) ?? views[0];
  state.view = view.id;
  drawRail(state);
  const model = modelFor(view, state);
  document.title = `${view.title()} · jogak`;
  const title = h("div", {class: "title"}, h("h1", {}, view.title()));
  const place = h("div", {class: "stack", id: "view"});
  const fitting = models.filter((m) => !m.trouble && (!view.fits || view.fits(m)));
  if (view.needsModel && fitting.length > 0)
    title.append(
        select(
            w("모델", "Model"),
            fitting.map((m) => ({value: m.id, text: `${m.id} · ${m.model_type}`})), model?.id ?? "",
            (id) => {
              const fresh = new State();
              fresh.view = view.id;
              fresh.go({model: id});
            }),
    );
  replace(main, title, h("p", {class: "lead"}, view.lead()), place);
  if (view.needsModel && !model) {
    place.append(
        h("p", {class: "empty"},
          w("이 보기에 맞는 모델이 없습니다. jogak serve DIR 로 모델을 여세요.",
            "No model fits this view. Open one with jogak serve DIR.")));
    return;
  }
  const context: Context = {
    root: place,
    state,
    lang: currentLang(),
    models,
    model,
    runs: server.runs,
    signal,
    exports: (how) => {
      title.querySelector(".tools")?.remove();
      title.append(tools(how));
    },
  };
  try {
    await view.render(context);
  } catch (error) {
    if (!signal.aborted) place.append(trouble(error));
  }
  if (!signal.aborted) main.dataset.view = view.id;
}

function askForKey(): Promise<string> {
  return new Promise((done) => {
    const field = h("input", {type: "password", name: "key", required: true});
    const dialog =
        h("dialog", {},
          h("form", {method: "dialog", class: "stack", submit: () => done(field.value)},
            h("h2", {}, w("이 서버에는 키가 필요합니다", "This server asks for a key")),
            h("label", {class: "field"}, w("키", "Key"), field),
            h("button", {class: "main"}, w("열기", "Open"))));
    document.body.append(dialog);
    dialog.showModal();
    dialog.addEventListener("close", () => dialog.remove());
  });
}

async function begin(): Promise<void> {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = localStorage.getItem("jogak-theme");
  setTheme(chosen === "dark" || chosen === "light" ? chosen : dark.matches ? "dark" : "light");
  const spoken = localStorage.getItem("jogak-lang") as Lang | null;
  setLang(spoken ?? (navigator.language.startsWith("ko") ? "ko" : "en"));
  document.body.append(
      h("a", {
        class: "hidden",
        href: "#main",
        click: (event: Event) => {
          event.preventDefault();
          main.focus();
        }
      },
        w("본문으로", "Skip to content")),
      h("div", {class: "frame"}, rail, main),
  );
  drawRail(State.read());
  onKeyWanted(askForKey);
  window.addEventListener("hashchange", () => void draw());
  window.addEventListener("address", pointLinks);
  try {
    [server, {models}] = await Promise.all([
      getJson<ServerState>("/api/state"),
      getJson<{models: Card[]}>("/api/models"),
    ]);
  } catch (error) {
    replace(main, trouble(error));
    return;
  }
  if (!spoken && server.lang === "ko") setLang("ko");
  await draw();
}

void begin();
