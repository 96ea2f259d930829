/** The names of lines beside samples of their strokes. */

import { h, s } from "../core/dom.js";
import { dashes } from "./theme.js";

/**
 * @param {{label: string, tone: string, stroke: string}[]} lines
 * @returns {any} The element.
 */
export function legend(lines) {
  const rows = lines.map((line) => h("li", {}, sample(line), h("span", {}, line.label)));
  return h("ul", { class: "legend" }, ...rows);
}

/** A short piece of a line as it is drawn. @param {{tone: string, stroke: string}} line */
export function sample(line) {
  const dash = dashes(line.stroke).join(" ");
  return s("svg", { viewBox: "0 0 26 10", "aria-hidden": "true", class: `sample tone-${line.tone}` },
    s("line", { x1: 1, y1: 5, x2: 25, y2: 5, stroke: "currentColor", "stroke-width": 2.25,
      "stroke-dasharray": dash || null, "stroke-linecap": "round" }));
}
