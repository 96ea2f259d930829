/** Any chart that the server describes: lines, bars, a plane, or a diagram. */

import { h } from "../core/dom.js";
import { LineChart } from "./line_chart.js";

/** Most charts are lines; the others are fetched when the first of their kind is to be seen. */
const KINDS = {
  LineChart: async () => LineChart,
  BarChart: async () => (await import("./bar_chart.js")).BarChart,
  PlaneChart: async () => (await import("./plane_chart.js")).PlaneChart,
  DiagramChart: async () => (await import("./diagram_chart.js")).DiagramChart,
};

/** @type {Record<string, any>} */
const fetched = { LineChart };

/** Fetch what draws a kind of chart; `show` then draws it at once. @param {string} kind */
export async function fetchKind(kind) {
  fetched[kind] ||= await KINDS[kind]();
}

/** A figure that shows a chart and can show another in its place. */
export class Figure {
  constructor() {
    this.element = h("figure", { class: "chart" });
    /** @type {any} */
    this.drawn = null;
    this.kind = "";
    /** @type {any[]} */
    this.newest = [];
  }

  /**
   * @param {any} chart As the server sends it, with its `kind`.
   * @param {string} description One sentence for those who do not see it.
   */
  show(chart, description) {
    this.newest = [chart, description];
    const { kind } = chart;
    if (!fetched[kind]) {
      fetchKind(kind).then(() => this.newest[0].kind === kind && this.draw());
      return;
    }
    this.draw();
  }

  draw() {
    const [chart, description] = this.newest;
    if (this.kind !== chart.kind) {
      if (this.drawn) this.drawn.destroy();
      this.drawn = new fetched[chart.kind](this.element);
      this.kind = chart.kind;
    }
    this.drawn.draw(chart, description);
  }
}
