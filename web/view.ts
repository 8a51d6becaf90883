// What every view gets, and what it gives back.
import {ApiError, Card} from "./api";
import {Child, h, replace} from "./dom";
import {State} from "./state";
import {Lang, w} from "./words";

export interface Exports {
  json: () => Promise<unknown>| unknown;
  svg: () => Promise<string>| string;
  name: string;  // of the files
}

export interface Context {
  root: HTMLElement;
  state: State;
  lang: Lang;
  models: Card[];
  model: Card|null;     // of views that show one
  runs: string;         // the folder of runs; empty: none
  signal: AbortSignal;  // ends with the view
  exports: (how: Exports) => void;
}

export interface View {
  id: string;
  group: "use"|"look"|"train"|"learn";
  title: () => string;
  lead: () => string;
  needsModel: boolean;
  fits?: (model: Card) => boolean;
  render: (context: Context) => void | Promise<void>;
}

export function trouble(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const busy = error instanceof ApiError && error.status === 503;
  return h(
      "div",
      {class: "trouble", role: "alert"},
      busy ? w("지금은 답할 수 없습니다: ", "Not available now: ") : "",
      message,
  );
}

// Work whose result replaces what a place shows; what came before stays until then, paler.
export class Place {
  private turn = 0;
  private stop: AbortController|null = null;
  constructor(
      readonly element: HTMLElement,
      private signal: AbortSignal,
  ) {}

  async fill(work: (signal: AbortSignal) => Promise<Child>): Promise<void> {
    const turn = ++this.turn;
    this.stop?.abort();
    const stop = new AbortController();
    this.stop = stop;
    this.signal.addEventListener("abort", () => stop.abort(), {once: true});
    this.element.classList.add("busy");
    this.element.setAttribute("aria-busy", "true");
    try {
      const made = await work(stop.signal);
      if (turn === this.turn) replace(this.element, made);
    } catch (error) {
      if (turn === this.turn && !stop.signal.aborted) replace(this.element, trouble(error));
    } finally {
      if (turn === this.turn) {
        this.element.classList.remove("busy");
        this.element.removeAttribute("aria-busy");
      }
    }
  }
}

export function card(title: Child, ...children: Child[]): HTMLElement {
  return h("section", {class: "card stack tight"}, title ? h("h2", {}, title) : null, ...children);
}

export function save(name: string, type: string, text: string): void {
  const link = h("a", {
    href: URL.createObjectURL(new Blob([text], {type})),
    download: name,
  });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
