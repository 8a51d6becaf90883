// Formulas as they are written by hand: what follows "_" stands below the line, what follows "^"
// above it.
import {Child, h} from "./dom";

// Below: "i" of a_i, "i,i-1" of A_i,i-1, "p<L" of Σ_{p<L}, "t-1" of y_(t-1), "<t" of y_<t. Behind a
// word only an index stands below: scores_1,1 and encoder_N, but word_scores is a name.
const low = "_(\\{[^}]+\\}|\\([^)]*\\)|<[a-z]|[A-Za-z0-9]+(?:,[a-z0-9]+(?:-1)?)*|[가-힣]+(?=\\)))";
const high = "\\^(\\([^)]*\\)|[A-Za-z0-9]+)";
const index = "(?<=[a-z]{3})_([A-Za-z]|[0-9ijk]+(?:,[0-9ijk]+)*)(?![A-Za-z0-9])";
const marks =
    new RegExp(`(?<![a-z]{3})(?<=[\\p{L}\\p{N})\\]}'̂²])(?:${low}|${high})|${index}`, "gu");

const bare = (text: string): string => text.replace(/^[({]|[)}]$/g, "");

export function formula(text: string): Child[] {
  const out: Child[] = [], plain = text.replace(/ -> /g, " → ");
  let from = 0;
  for (const [all, below, above, behind] of plain.matchAll(marks)) {
    const at = plain.indexOf(all, from);
    out.push(
        plain.slice(from, at),
        h(above === undefined ? "sub" : "sup", {}, bare(above ?? below ?? behind)));
    from = at + all.length;
  }
  return [...out, plain.slice(from)];
}
