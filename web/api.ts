// The server's API: docs/api.md. Nothing else is ever asked.
import {currentLang, w} from "./words";

export class ApiError extends Error {
  constructor(
      readonly status: number,
      readonly code: string,
      message: string,
  ) {
    super(message);
  }
}

let key = sessionStorage.getItem("jogak-key") ?? "";
let askForKey: (() => Promise<string>)|null = null;
export function onKeyWanted(ask: () => Promise<string>): void { askForKey = ask; }

async function send(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    const message =
        w("서버가 답하지 않습니다. jogak serve가 아직 돌고 있나요?",
          "The server does not answer. Is jogak serve still running?");
    throw new ApiError(0, "no_server", message);
  }
}

async function request(path: string, options: RequestInit): Promise<Response> {
  for (;;) {
    const headers: Record<string, string> = {
      ...(options.headers as Record<string, string>),
      "Accept-Language": currentLang(),  // of what may be wrong
    };
    if (key) headers["Authorization"] = `Bearer ${key}`;
    const reply = await send(path, {...options, headers});
    if (reply.status === 401 && askForKey) {
      key = await askForKey();
      sessionStorage.setItem("jogak-key", key);
      continue;
    }
    if (reply.status === 429) {  // the model has a queue: wait for a turn
      await new Promise((done) => setTimeout(done, 400));
      options.signal?.throwIfAborted?.();
      continue;
    }
    if (reply.ok) return reply;
    const text = await reply.text();
    let message = text, code = "unknown";
    try {
      const error = JSON.parse(text).error;
      message = error.message;
      code = error.code;
    } catch {
      // not ours: shown as it is
    }
    throw new ApiError(reply.status, code, message);
  }
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await request(path, {signal})).json()) as T;
}

function body(value: unknown, signal?: AbortSignal): RequestInit {
  return {
    method: "POST",
    headers: {"Content-Type": "application/json"},
    body: JSON.stringify(value),
    signal,
  };
}

export async function postJson<T>(path: string, value: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await request(path, body(value, signal))).json()) as T;
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await request(path, {signal})).text();
}

export async function postText(
    path: string, value: unknown, signal?: AbortSignal): Promise<string> {
  return (await request(path, body(value, signal))).text();
}

export interface Bytes {
  width: number;
  height: number;
  bytes: Uint8Array;
}
export async function getBytes(path: string, signal?: AbortSignal): Promise<Bytes> {
  const reply = await request(path, {signal});
  return {
    width: Number(reply.headers.get("X-Width")),
    height: Number(reply.headers.get("X-Height")),
    bytes: new Uint8Array(await reply.arrayBuffer()),
  };
}

// Events of a stream, one JSON value each.
export async function stream(
    path: string,
    value: unknown,
    take: (event: Record<string, unknown>) => void,
    signal?: AbortSignal,
    ): Promise<void> {
  const reply = await request(path, body(value, signal));
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const {done, value: bytes} = await reader.read();
    if (done) return;
    rest += decoder.decode(bytes, {stream: true});
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const event = rest.slice(0, end).replace(/^data: /, "");
      rest = rest.slice(end + 2);
      const json = JSON.parse(event) as Record<string, unknown>;
      const error = json["error"] as {
        message: string;
        code: string
      }
      |undefined;
      if (error) throw new ApiError(500, error.code, error.message);
      take(json);
    }
  }
}

export function query(values: {[key: string]: string|number}): string {
  const pairs = Object.entries(values).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(pairs as string[][]).toString();
}

// --- what the server says, in types ---

export interface Card {
  id: string;
  directory: string;
  given: boolean;
  trouble?: string;
  model_type: string;
  task: "translate"|"generate"|"fill"|"classify"|"match"|"tag"|"embed"|"forecast";
  reads: "text"|"image"|"series";
  wiring: "encoder-decoder"|"decoder"|"encoder";
  width: number;
  context: number;
  layers: number;
  heads: number;
  encoder_layers?: number;
  positions: string;
  norm: string;
  example?: {text?: string; target?: string; image?: string; csv?: string; labels?: string[]};
}

export interface Picture {
  kind: "heatmap"|"lines"|"bars"|"diagram";
  name: string;
  title: string;
  x_title: string;
  y_title: string;
  rows: string[];
  columns: string[];
  values: (number|null)[][];
  low: number;
  high: number;
  diverging: boolean;
  layer?: number;
  head?: number;
  step?: number;
}

export interface DataTable {
  name: string;
  title: string;
  columns: string[];
  rows: (string|number|null)[][];
}

export interface Inspection {
  what: string;
  title: string;
  model_type: string;
  tokens?: string[];
  source_tokens?: string[];
  target_tokens?: string[];
  pictures: Picture[];
  tables: DataTable[];
  [fact: string]: unknown;
}

export interface AttentionKind {
  kind: string;
  layers: number;
  heads: number;
  queries: number;
  keys: number;
  rows: number;  // series or patches that the model goes over one by one
  row: number;   // which of them this is
  causal: boolean;
  high: number[][];
}

export interface Attention {
  id: string;
  model_type: string;
  tokens?: string[];
  source_tokens?: string[];
  target_tokens?: string[];
  kinds: AttentionKind[];
  image?: {rows: number; columns: number; seen: string};  // as the model sees it, a PNG
  series?: {
    names: string[]; values: number[][];
    patch_length?: number;
    patch_stride?: number; class_token: boolean;
  };
}

export interface Cell {
  query: number;
  key: number;
  q: number[];
  k: number[];
  dot: number;
  scale: number;
  cap: number;
  bias: number;
  score: number;
  masked: boolean;
  most: number;
  sum: number;
  softmax: number;
  weight: number;
}

export interface Curve {
  steps: number[];
  mean: number[];
  low: number[];
  high: number[];
}
export interface Run {
  name: string;
  live: boolean;
  offset: number;
  unchanged?: boolean;
  step: number;
  curves: {[name: string]: Curve};
  skipped: {step: number; why: string}[];
  steps?: number;
  clip?: number;
  metric?: string;
  family?: string;
  checkpoints: number[];
}
