// The few functions of d3 that are used here, by their own files: a whole module would bring times
// and colours of others along.
declare module "d3-scale/src/linear.js" {
  export interface Scale {
    (value: number): number;
    domain(values: number[]): this;
    range(values: number[]): this;
    nice(count?: number): this;
    ticks(count?: number): number[];
    invert(value: number): number;
  }
  export default function scaleLinear(): Scale;
}
declare module "d3-scale/src/log.js" {
import {Scale} from "d3-scale/src/linear.js";
  export default function scaleLog(): Scale;
}
interface D3Path<T> {
  (data: T[]): string|null;
  x(at: (d: T, i: number) => number): this;
  y(at: (d: T, i: number) => number): this;
  y0(at: (d: T, i: number) => number): this;
  y1(at: (d: T, i: number) => number): this;
  defined(is: (d: T, i: number) => boolean): this;
}
declare module "d3-shape/src/line.js" { export default function line<T>(): D3Path<T>; }
declare module "d3-shape/src/area.js" { export default function area<T>(): D3Path<T>; }
