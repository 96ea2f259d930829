/** A field in which an exact number can be typed; a number that is not allowed is refused in words. */

import { h, say } from "../core/dom.js";
import { minus, typed } from "../charts/numbers.js";

/**
 * @param {{id: string, name: string, label: string, low: number, high: number, whole: boolean, value: number}} about
 * @param {(value: number) => void} onChange
 * @returns {{input: any, refusal: any, set: (value: number) => void}} `refusal` is to stand below.
 */
export function numberField(about, onChange) {
  const { low, high, whole } = about;
  const refusal = h("p", { class: "refusal", id: `${about.id}-refusal`, role: "alert" });
  const input = h("input", { type: "text", inputmode: whole ? "numeric" : "decimal", autocomplete: "off", spellcheck: "false",
    id: about.id, name: about.name, "aria-label": about.label, "aria-describedby": refusal.id, class: "number" });
  let held = about.value;

  function set(value) {
    held = value;
    input.value = minus(typed(value));
    refuse("");
  }

  function refuse(why) {
    say(refusal, why);
    if (why) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  function commit() {
    const value = read(input.value);
    if (!Number.isFinite(value)) return refuse("This is not a number.");
    if (value < low || value > high) return refuse(`Give a number from ${minus(typed(low))} to ${minus(typed(high))}.`);
    if (whole && !Number.isInteger(value)) return refuse("Give a whole number.");
    if (value === held) return set(value);
    set(value);
    return onChange(value);
  }

  input.addEventListener("change", commit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
    if (event.key === "Escape") set(held);
  });
  set(about.value);
  return { input, refusal, set };
}

/** The number that a text stands for; also with a true minus, a decimal comma or thousands' commas. */
function read(text) {
  const plain = text.trim().replace("−", "-").replace(/,(?=\d{3}(\D|$))/g, "").replace(",", ".");
  return plain ? Number(plain) : NaN;
}
