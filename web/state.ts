// Everything a view shows stands in its address, so that a link restores it: #/attention?layer=1.

export class State {
  view = "start";
  values = new Map<string, string>();

  static read(): State {
    const state = new State();
    const hash = location.hash.replace(/^#\/?/, "");
    const [path, query] = [hash.split("?")[0], hash.slice(hash.indexOf("?") + 1)];
    if (path) state.view = path;
    if (hash.includes("?"))
      for (const [key, value] of new URLSearchParams(query)) state.values.set(key, value);
    return state;
  }

  text(key: string, otherwise = ""): string { return this.values.get(key) ?? otherwise; }
  has(key: string): boolean { return this.values.has(key); }
  number(key: string, otherwise: number): number {
    const value = this.values.get(key);
    const read = value === undefined || value === "" ? NaN : Number(value);
    return Number.isFinite(read) ? read : otherwise;
  }
  flag(key: string): boolean { return this.values.get(key) === "1"; }

  address(changes: Changes = {}, view = this.view): string {
    const values = new Map(this.values);
    for (const [key, value] of Object.entries(changes)) {
      if (value === null || value === "" || value === false)
        values.delete(key);
      else
        values.set(key, value === true ? "1" : String(value));
    }
    const query = new URLSearchParams([...values].sort(([a], [b]) => (a < b ? -1 : 1))).toString();
    return `#/${view}${query ? `?${query}` : ""}`;
  }

  // Writes the address without drawing the view again: what changed is on the screen already.
  set(changes: Changes): void {
    history.replaceState(null, "", this.address(changes));
    this.values = State.read().values;
    window.dispatchEvent(new Event("address"));
  }

  // Another view, or the same with another model: a step of the browser's history.
  go(changes: Changes, view = this.view): void { location.hash = this.address(changes, view); }
}

export type Changes = {
  [key: string]: string|number|boolean|null
};
