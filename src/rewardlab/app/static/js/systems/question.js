/** A question to answer before dragging; the answer is computed when it is asked for. */

import { h } from "../core/dom.js";

/**
 * @param {{text: string, choices: string[]}} question
 * @param {() => Promise<{choice: number, because: string}>} answer
 */
export function questionCard(question, answer) {
  const because = h("p", { class: "because", role: "status" });
  const buttons = question.choices.map((text, k) => h("button", { type: "button", on: { click: () => pick(k) } }, text));
  async function pick(chosen) {
    let found;
    try {
      found = await answer();
    } catch (error) {
      because.textContent = error.message;
      return;
    }
    buttons.forEach((button, k) => {
      button.toggleAttribute("data-right", k === found.choice);
      button.toggleAttribute("data-wrong", k === chosen && k !== found.choice);
    });
    because.textContent = `${chosen === found.choice ? "Yes." : "No."} ${found.because}`;
  }
  return h("fieldset", { class: "question" }, h("legend", {}, question.text),
    h("div", { class: "choices" }, ...buttons), because);
}
