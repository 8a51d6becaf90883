// Elements in one line, without markup in strings: nothing a model says can become code.

export type Child = Node|string|number|null|undefined|false|Child[];
type Value = string|number|boolean|null|undefined|((event: never) => void);
type Attributes = {
  [name: string]: Value
};

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name, value as EventListener);
    } else if (name === "value" && "value" in element) {
      (element as HTMLInputElement).value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  append(element, children);
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child))
      append(element, child);
    else if (child instanceof Node)
      element.append(child);
    else if (child !== null && child !== undefined && child !== false)
      element.append(String(child));
  }
}

// h("button", { class: "main", click: go }, "Go"): functions listen to the event of that name.
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

// At most once a frame, with the last arguments.
export function onceAFrame<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void {
  let waiting: A|null = null;
  return (...args: A) => {
    if (!waiting)
      requestAnimationFrame(() => {
        const last = waiting as A;
        waiting = null;
        work(...last);
      });
    waiting = args;
  };
}

// When nothing came for a while.
export function afterPause<A extends unknown[]>(
    milliseconds: number,
    work: (...args: A) => void,
    ): (...args: A) => void {
  let timer = 0;
  return (...args: A) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => work(...args), milliseconds);
  };
}
