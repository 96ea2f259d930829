/** One system from its declaration: controls, sentence, chart, figures, table, code. */

import { Newest } from "../core/data.js";
import { h } from "../core/dom.js";
import { Figure } from "../charts/chart.js";
import { controlPanel, seedControl } from "./controls.js";
import { CodeBlock, DataTable, FigureList } from "./figures.js";
import { Sentence } from "./sentence.js";

const PATIENCE_MS = 150;

/**
 * A system that can be placed anywhere on a page. The element's `data-state` is what is shown, as
 * JSON: the settings and the seed.
 * @param {any} system Its declaration.
 * @param {any} first Its result to begin with.
 * @param {(settings: Record<string, any>, seed: number|null) => Promise<any>} results
 * @param {(settings: Record<string, any>, seed: number|null) => void} [onShown]
 * @returns {any} The element.
 */
export function systemView(system, first, results, onShown = () => {}) {
  const settings = { ...first.settings };
  let { seed } = first;
  const parts = { sentence: new Sentence(), figure: new Figure(), list: new FigureList(), table: new DataTable(), code: new CodeBlock(system.function) };
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const newest = new Newest(async () => {
    const waiting = setTimeout(() => shown.setAttribute("aria-busy", "true"), PATIENCE_MS);
    try {
      show(await results({ ...settings }, seed));
    } catch (refused) {
      error.textContent = refused.message;
      error.hidden = false;
    } finally {
      clearTimeout(waiting);
      shown.removeAttribute("aria-busy");
    }
  });
  const panel = controlPanel(system.controls, settings, (name, value) => {
    settings[name] = value;
    return newest.ask(null);
  });
  const seeds = system.draws && seedControl(seed, (drawn) => {
    panel.stop();
    seed = drawn;
    newest.ask(null);
  });
  const reset = h("button", { type: "button", class: "reset", on: { click: () => {
    panel.stop();
    for (const control of system.controls) settings[control.name] = control.default;
    panel.set(settings);
    if (seeds) seeds.set(seed = 0);
    newest.ask(null);
  } } }, "Reset");
  panel.element.append(...[seeds && seeds.element, h("div", {}, reset)].filter(Boolean));
  const shown = h("div", { class: "shown" }, parts.sentence.element, error, parts.figure.element);
  const rest = h("div", { class: "rest" }, parts.list.element, parts.table.element, parts.code.element);
  // Beside the chart where there is room, below it on a phone: either way in one view.
  const element = h("div", { class: "widget", "data-system": system.name }, shown, panel.element, rest);

  function show(result) {
    error.hidden = true;
    parts.sentence.show(result.sentence);
    parts.figure.show(result.chart, result.sentence);
    parts.list.show(result.quantities);
    parts.table.show(result.table);
    parts.code.show(result.code);
    element.dataset.state = JSON.stringify([result.settings, result.seed]);
    onShown(result.settings, result.seed);
  }
  show(first);
  return element;
}
