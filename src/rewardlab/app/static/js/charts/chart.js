/** Any chart that the server describes: lines, bars, a plane, or a diagram. */

import { h } from "../core/dom.js";
import { BarChart } from "./bar_chart.js";
import { DiagramChart } from "./diagram_chart.js";
import { LineChart } from "./line_chart.js";
import { PlaneChart } from "./plane_chart.js";

const KINDS = { LineChart, BarChart, PlaneChart, DiagramChart };

/** A figure that shows a chart and can show another in its place. */
export class Figure {
  constructor() {
    this.element = h("figure", { class: "chart" });
    /** @type {any} */
    this.drawn = null;
    this.kind = "";
  }

  /**
   * @param {any} chart As the server sends it, with its `kind`.
   * @param {string} description One sentence for those who do not see it.
   */
  show(chart, description) {
    if (this.kind !== chart.kind) {
      if (this.drawn) this.drawn.destroy();
      this.drawn = new KINDS[chart.kind](this.element);
      this.kind = chart.kind;
    }
    this.drawn.draw(chart, description);
  }
}
