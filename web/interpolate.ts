// Stands for d3-interpolate, which d3-scale asks for: scales of this page run between numbers,
// never between colours or dates.
export const interpolateNumber = (a: number, b: number) => (t: number): number =>
    a * (1 - t) + b * t;
export const interpolateRound = (a: number, b: number) => (t: number): number =>
    Math.round(a * (1 - t) + b * t);
export const interpolate = interpolateNumber;
