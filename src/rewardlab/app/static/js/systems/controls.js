/** Controls as a system declares them: sliders, choices, switches, and the seed. */

import { h } from "../core/dom.js";
import { reading } from "../charts/numbers.js";

const STOPS = 200;

/**
 * All controls of a system.
 * @param {any[]} controls As declared.
 * @param {Record<string, any>} values
 * @param {(name: string, value: any) => void} onChange
 * @returns {{element: any, set: (values: Record<string, any>) => void}}
 */
export function controlPanel(controls, values, onChange) {
  const made = controls.map((control) => MAKERS[control.kind](control, values[control.name], onChange));
  return {
    element: h("div", { class: "controls" }, ...made.map((one) => one.element)),
    set: (chosen) => controls.forEach((control, k) => made[k].set(chosen[control.name])),
  };
}

const MAKERS = { slider, choice, switch: switched };

function slider(control, value, onChange) {
  const scale = scaleOf(control);
  const output = h("output", { for: `control-${control.name}` });
  const input = h("input", {
    type: "range", id: `control-${control.name}`, name: control.name, min: 0, max: scale.stops, step: 1,
  });
  const show = (chosen) => {
    output.textContent = figure(chosen, control);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  const set = (chosen) => {
    input.value = String(scale.position(chosen));
    show(chosen);
  };
  input.addEventListener("input", () => {
    const chosen = scale.value(Number(input.value));
    show(chosen);
    onChange(control.name, chosen);
  });
  set(value);
  const label = h("label", { for: input.id }, control.label);
  return { element: h("div", { class: "control" }, label, output, input), set };
}

function figure(value, control) {
  return control.whole ? String(value) : reading(value);
}

/** From places on a slider to values and back; the ends are met exactly. */
export function scaleOf(control) {
  const { low, high, step, log, whole } = control;
  const grain = step || (whole ? 1 : 0);
  const span = high - low;
  const stops = grain && !log ? Math.round(span / grain) : whole ? Math.min(STOPS, span) : STOPS;
  const share = (v) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / span);
  const at = (t) => (log ? low * (high / low) ** t : low + span * t);
  return {
    stops,
    position: (v) => Math.round(stops * share(v)),
    value: (k) => {
      if (k <= 0) return low;
      if (k >= stops) return high;
      const raw = at(k / stops);
      if (whole) return Math.round(raw);
      return Number((grain && !log ? low + Math.round((raw - low) / grain) * grain : raw).toPrecision(grain ? 9 : 3));
    },
  };
}

function choice(control, value, onChange) {
  const id = `control-${control.name}`;
  const select = h("select", { id, name: control.name },
    ...Object.entries(control.options).map(([key, label]) => h("option", { value: key }, label)));
  select.addEventListener("change", () => onChange(control.name, select.value));
  select.value = value;
  const element = h("div", { class: "control" }, h("label", { for: id }, control.label), select);
  return { element, set: (chosen) => { select.value = chosen; } };
}

function switched(control, value, onChange) {
  const id = `control-${control.name}`;
  const input = h("input", { type: "checkbox", id, name: control.name });
  input.addEventListener("change", () => onChange(control.name, input.checked));
  input.checked = value;
  const element = h("div", { class: "control switch" }, input, h("label", { for: id }, control.label));
  return { element, set: (chosen) => { input.checked = chosen; } };
}
