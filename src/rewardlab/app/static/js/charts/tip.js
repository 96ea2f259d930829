/** The values of a panel's lines at the cursor. */

import { h, say } from "../core/dom.js";
import { sample } from "./legend.js";
import { reading } from "./numbers.js";

export class Tip {
  /** @param {any[]} lines @param {number[]} series The index of each line's series. */
  constructor(lines, series) {
    this.series = series;
    this.head = h("div", { class: "tip-x" });
    this.values = lines.map(() => h("b"));
    this.element = h("div", { class: "tip", hidden: true }, this.head,
      ...lines.map((line, k) => h("div", {}, sample(line), h("span", {}, line.label), this.values[k])));
  }

  /**
   * Show the readings at the plot's cursor, on the side where there is room.
   * @param {any} plot @param {string} xName Empty to leave the place out. @param {boolean} percent
   */
  read(plot, xName, percent) {
    const { left, idx, idxs } = plot.cursor;
    const off = idx === null || idx === undefined || left < 0;
    if (this.element.hidden !== off) this.element.hidden = off;
    if (off) return;
    say(this.head, xName && `${xName} ${reading(plot.data[0][idx])}`);
    this.series.forEach((k, line) => {
      const at = idxs[k];
      say(this.values[line], reading(at === null || at === undefined ? null : plot.data[k][at], percent));
    });
    const right = left < plot.over.clientWidth / 2;
    this.element.style.left = right ? `${left + 14}px` : "auto";
    this.element.style.right = right ? "auto" : `${plot.over.clientWidth - left + 14}px`;
  }
}
