/** Curves and points in a plane of two quantities. */

import { h } from "../core/dom.js";

export class PlaneChart {
  constructor(figure) {
    this.figure = figure;
  }

  draw(chart, description) {
    this.figure.replaceChildren(h("div", { role: "img", "aria-label": description }, `${chart.shapes.length} shapes`));
  }

  destroy() {}
}
