// What a page owes to everybody, asked of the page as it stands: names that can be heard, colours
// that can be read, one heading, nothing wider than the screen. Gives a list of complaints.
const complaints = [];
const shown = (e) => e.checkVisibility() && !e.closest(".hidden, [aria-hidden=true], .busy, dialog");
const say = (what, e) => complaints.push(`${what}: ${e.outerHTML.slice(0, 120)}`);

function nameOf(e) {
  if (e.getAttribute("aria-label")) return e.getAttribute("aria-label").trim();
  if (e.labels && e.labels.length > 0) return e.labels[0].textContent.trim();
  if (e.tagName === "IMG") return e.hasAttribute("alt") ? "named" : "";
  return e.textContent.trim() || e.title || "";
}
for (const e of document.querySelectorAll(
         "button, a[href], input, select, textarea, img, canvas, [role=img], [role=button], nav, " +
         "[role=group], [role=list]"))
  if (shown(e) && !nameOf(e)) say("has no name", e);
for (const e of document.querySelectorAll("canvas[tabindex], [role=button]"))
  if (e.tabIndex < 0) say("cannot be reached by keyboard", e);
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
for (const id of ids)
  if (ids.indexOf(id) !== ids.lastIndexOf(id)) complaints.push(`two elements are called ${id}`);
if (document.querySelectorAll("h1").length !== 1) complaints.push("wanted one h1");
if (!document.documentElement.lang) complaints.push("no language is named");
for (const e of document.querySelectorAll("th"))
  if (shown(e) && !e.scope) say("of a row or of a column?", e);

// Contrast of text with what is behind it: 4.5, or 3 where it is large.
const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
const colours = new Map();  // reading points back is slow, and a page has few colours
function rgba(text) {
  if (!colours.has(text)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    colours.set(text, canvas.getImageData(0, 0, 1, 1).data);
  }
  return colours.get(text);
}
function light([r, g, b]) {
  const part = (x) => (x / 255 <= 0.03928 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}
function behind(e) {
  for (; e; e = e.parentElement) {
    const colour = rgba(getComputedStyle(e).backgroundColor);
    if (colour[3] > 250) return colour;
  }
  return [255, 255, 255, 255];
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode());) {
  const e = node.parentElement;
  if (!node.textContent.trim() || !shown(e) || e.closest("svg, option, script, noscript, :disabled")) continue;
  const style = getComputedStyle(e), size = parseFloat(style.fontSize);
  const a = light(rgba(style.color)), b = light(behind(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const large = size >= 24 || (size >= 18.5 && Number(style.fontWeight) >= 700);
  if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)} of "${node.textContent.slice(0, 20)}"`, e);
}
for (const text of document.querySelectorAll("svg text")) {
  if (!shown(text)) continue;
  const a = light(rgba(getComputedStyle(text).fill)), b = light(behind(text.closest("svg").parentElement));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) say(`contrast ${ratio.toFixed(2)} of "${text.textContent.slice(0, 20)}"`, text);
}
for (const svg of document.querySelectorAll("svg")) {
  const ticks = [...svg.querySelectorAll(".tick")].map((e) => e.textContent);
  if (new Set(ticks).size !== ticks.length) complaints.push(`ticks that say the same: ${ticks}`);
}
const wide = document.documentElement.scrollWidth;
if (wide > document.documentElement.clientWidth)
  complaints.push(`wider than the screen: ${wide} of ${document.documentElement.clientWidth}`);
return complaints.slice(0, 12);
