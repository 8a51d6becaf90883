// What the parts of the attention view share: which head, which cell, and how the server is asked.
import {Attention, AttentionKind, getJson, query} from "./api";
import {Context} from "./view";
import {visible} from "./words";

export interface Line {
  values: number[];
  high: number;
}
export interface Links {
  links: [number, number, number][];
}

export class Looking {
  constructor(
      readonly context: Context,
      readonly pass: Attention,
      readonly kind: AttentionKind,
      public layer: number,
      public head: number,
      public cell: [number, number],
  ) {}
  get rows(): string[] {
    return this.names(this.reads ? this.pass.source_tokens : this.own, this.kind.queries);
  }
  get columns(): string[] {
    const across = this.kind.kind === "cross" || this.reads;
    return this.names(across ? this.pass.source_tokens : this.own, this.kind.keys);
  }
  // Of the side that reads: an encoder before a decoder, or one of texts beside one of images.
  private get reads(): boolean { return this.kind.kind === "encoder" || this.kind.kind === "text"; }
  private get own(): string[]|undefined {
    return this.kind.kind === "series" ? this.pass.series?.names :
                                         this.pass.target_tokens ?? this.pass.tokens;
  }
  private names(tokens: string[]|undefined, count: number): string[] {
    return Array.from(
        {length: count}, (_, i) => (tokens?.[i] === undefined ? String(i) : visible(tokens[i])));
  }
  get high(): number { return this.kind.high[this.layer][this.head]; }
  ask<T>(what: string, more: {[key: string]: string|number}): Promise<T> {
    const {kind, layer, head} = {kind: this.kind.kind, layer: this.layer, head: this.head};
    return getJson<T>(
        `/api/attention/${this.pass.id}/${what}?${query({kind, layer, head, ...more})}`,
        this.context.signal);
  }
}
