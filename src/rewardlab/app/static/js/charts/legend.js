/** The names of lines beside samples of their strokes. */

import { h, s } from "../core/dom.js";
import { dashes } from "./theme.js";

/**
 * @param {{label: string, tone: string, stroke: string}[]} lines
 * @returns {{element: any, values: any[]}} `values` are the places for readings at the cursor.
 */
export function legend(lines) {
  const values = lines.map(() => h("span", { class: "value" }));
  const rows = lines.map((line, k) =>
    h("li", {}, h("span", { class: `tone-${line.tone}` }, sample(line)), h("span", {}, line.label), values[k]),
  );
  return { element: h("ul", { class: "legend", "aria-hidden": "true" }, ...rows), values };
}

function sample(line) {
  const dash = dashes(line.stroke).join(" ");
  return s("svg", { viewBox: "0 0 26 10" },
    s("line", { x1: 1, y1: 5, x2: 25, y2: 5, stroke: "currentColor", "stroke-width": 2.25,
      "stroke-dasharray": dash || null, "stroke-linecap": "round" }));
}
