/** One system from its declaration: controls, sentence, chart, figures, table, code. */

import { Newest } from "../core/data.js";
import { h, say } from "../core/dom.js";
import { Figure } from "../charts/chart.js";
import { controlPanel } from "./controls.js";
import { CodeBlock, DataTable, FigureList } from "./figures.js";

/**
 * A system that can be placed anywhere on a page.
 * @param {any} system Its declaration.
 * @param {any} first Its result to begin with.
 * @param {(settings: Record<string, any>, seed: number|null) => Promise<any>} results
 * @param {(settings: Record<string, any>, seed: number|null) => void} [onShown]
 * @returns {any} The element.
 */
export function systemView(system, first, results, onShown = () => {}) {
  const settings = { ...first.settings };
  let seed = first.seed;
  const figure = new Figure();
  const list = new FigureList();
  const table = new DataTable();
  const code = new CodeBlock(system.function);
  const sentence = h("p", { class: "sentence", role: "status" });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const newest = new Newest(async () => {
    try {
      show(await results({ ...settings }, seed));
    } catch (refused) {
      error.textContent = refused.message;
      error.hidden = false;
    }
  });
  const panel = controlPanel(system.controls, settings, (name, value) => {
    settings[name] = value;
    newest.ask(null);
  });
  const reset = h("button", { type: "button", class: "plain", on: { click: () => {
    for (const control of system.controls) settings[control.name] = control.default;
    if (system.draws) seed = 0;
    panel.set(settings);
    newest.ask(null);
  } } }, "Reset");
  const again = system.draws && h("button", { type: "button", on: { click: () => { seed += 1; newest.ask(null); } } }, "Draw again");
  panel.element.append(h("div", { class: "row" }, again, reset));
  const shown = h("div", { class: "shown" }, sentence, error, figure.element, list.element, table.element, code.element);
  const element = h("div", { class: "widget", "data-system": system.name }, panel.element, shown);

  function show(result) {
    error.hidden = true;
    say(sentence, result.sentence);
    figure.show(result.chart, result.sentence);
    list.show(result.quantities);
    table.show(result.table);
    code.show(result.code);
    element.dataset.state = JSON.stringify([result.settings, result.seed]);
    onShown(result.settings, result.seed);
  }
  show(first);
  return element;
}
