/** Any chart that the server describes: lines, bars, a plane, or a diagram. */

import { h } from "../core/dom.js";
import { arrived, load } from "../core/load.js";

/** What draws each kind of chart is fetched when the first of its kind is to be seen. */
const KINDS = {
  LineChart: async () => {
    const [{ LineChart }] = await Promise.all([
      arrived(import("./line_chart.js")), load("vendor/uPlot.iife.min.js"), load("vendor/uPlot.min.css"),
    ]);
    return LineChart;
  },
  BarChart: async () => (await arrived(import("./bar_chart.js"))).BarChart,
  PlaneChart: async () => (await arrived(import("./plane_chart.js"))).PlaneChart,
  DiagramChart: async () => (await arrived(import("./diagram_chart.js"))).DiagramChart,
};

/** @type {Record<string, any>} */
const fetched = {};

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
    if (fetched[chart.kind]) this.draw();
    else this.fetch(chart.kind);
  }

  /** @param {string} kind */
  async fetch(kind) {
    try {
      await fetchKind(kind);
      if (this.newest[0].kind === kind) this.draw();
    } catch (error) {
      if (!this.drawn) this.element.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
    }
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
