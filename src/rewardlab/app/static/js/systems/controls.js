/** Controls as a system declares them: sliders with a field for exact values, choices, switches. */

import { h } from "../core/dom.js";
import { minus, typed } from "../charts/numbers.js";
import { numberField } from "./number_field.js";
import { player } from "./player.js";
import { nearest, stopsOf } from "./stops.js";

const MANY = 4;
const LONG = 30;

let panels = 0;

/**
 * All controls of a system.
 * @param {any[]} controls As declared.
 * @param {Record<string, any>} values
 * @param {(name: string, value: any) => any} onChange May return a promise of the value being shown.
 * @returns {{element: any, set: (values: Record<string, any>) => void, stop: () => void}} `stop` ends
 *   any playing.
 */
export function controlPanel(controls, values, onChange) {
  const prefix = panels++ ? `panel-${panels}` : "control";
  const stop = () => made.forEach((one) => one.stop && one.stop());
  const made = controls.map((control) => {
    const changed = (value, played = false) => {
      if (!played) stop();
      return onChange(control.name, value);
    };
    const kind = control.stops && control.stops.length === 1 ? "fixed" : control.kind;
    return MAKERS[kind](control, values[control.name], changed, `${prefix}-${control.name}`);
  });
  return {
    element: h("div", { class: "controls" }, ...made.map((one) => one.element)),
    set: (chosen) => controls.forEach((control, k) => made[k].set(chosen[control.name])),
    stop,
  };
}

const MAKERS = {
  slider,
  choice: (control, ...rest) => (listed(control) ? radios(control, ...rest) : select(control, ...rest)),
  switch: switched,
  fixed,
};

function slider(control, value, onChange, id) {
  const stops = stopsOf(control);
  let held = value;
  const input = h("input", { type: "range", id, name: control.name, min: 0, max: stops.length - 1, step: 1 });
  const field = numberField({ ...control, id: `${id}-exact`, name: `${control.name}-exact`, value,
    label: `${control.label}, exact value` }, (chosen) => {
      const kept = control.stops ? stops[nearest(stops, chosen)] : chosen;
      if (kept !== chosen) field.set(kept);
      place(kept);
      onChange(kept);
    });
  const play = control.plays && player({ label: control.label, stops, now: () => held,
    go: async (chosen) => { set(chosen); await onChange(chosen, true); } });
  function place(chosen) {
    held = chosen;
    input.value = String(nearest(stops, chosen));
    input.setAttribute("aria-valuetext", minus(typed(chosen)));
  }
  function set(chosen) {
    place(chosen);
    field.set(chosen);
  }
  input.addEventListener("input", () => {
    set(stops[Number(input.value)]);
    onChange(held);
  });
  place(value);
  const label = h("label", { for: id }, control.label);
  const element = h("div", { class: play ? "control plays" : "control" }, label, field.input, input, play && play.element, field.refusal);
  return { element, set, stop: play && play.stop };
}

/** A control that stays at one value in a static copy. */
function fixed(control, value) {
  const shown = control.options ? control.options[value] : typeof value === "boolean" ? (value ? "on" : "off") : minus(typed(value));
  const element = h("div", { class: "control fixed" }, h("span", {}, control.label), h("span", { class: "held" }, shown),
    h("p", { class: "quiet" }, "fixed in this copy"));
  return { element, set: () => {} };
}

/** True where all options are better seen at once than cut off in a menu. */
function listed(control) {
  const labels = Object.values(control.options);
  return labels.length <= MANY && labels.some((label) => label.length > LONG);
}

function radios(control, value, onChange, id) {
  const inputs = Object.keys(control.options).map((key) => h("input", { type: "radio", name: id, value: key, id: `${id}-${key}`,
    on: { change: () => onChange(key) } }));
  const set = (chosen) => inputs.forEach((input) => { input.checked = input.value === chosen; });
  set(value);
  const rows = inputs.map((input) => h("label", { for: input.id }, input, h("span", {}, control.options[input.value])));
  return { element: h("fieldset", { class: "control radios", role: "radiogroup", "aria-labelledby": `${id}-name` }, h("legend", { id: `${id}-name` }, control.label), ...rows), set };
}

function select(control, value, onChange, id) {
  const input = h("select", { id, name: control.name },
    ...Object.entries(control.options).map(([key, label]) => h("option", { value: key }, label)));
  const set = (chosen) => { input.value = chosen; };
  input.addEventListener("change", () => onChange(input.value));
  set(value);
  return { element: h("div", { class: "control" }, h("label", { for: id }, control.label), input), set };
}

function switched(control, value, onChange, id) {
  const input = h("input", { type: "checkbox", id, name: control.name });
  const set = (chosen) => { input.checked = chosen; };
  input.addEventListener("change", () => onChange(input.checked));
  set(value);
  return { element: h("div", { class: "control switch" }, input, h("label", { for: id }, control.label)), set };
}

/**
 * The seed of a system that draws at random, and a button for the next one.
 * @param {number} value @param {(seed: number) => void} onChange
 */
export function seedControl(value, onChange) {
  const id = `seed-${panels}`;
  let held = value;
  const field = numberField({ id, name: "seed", label: "seed", low: 0, high: 999999999, whole: true, value }, change);
  field.input.removeAttribute("aria-label");
  const again = h("button", { type: "button", on: { click: () => change((held + 1) % 1e9) } }, "Draw again");
  function set(seed) {
    held = seed;
    field.set(seed);
  }
  function change(seed) {
    set(seed);
    onChange(seed);
  }
  const element = h("div", { class: "control seed" }, h("label", { for: id }, "seed"), field.input, again, field.refusal);
  return { element, set };
}
