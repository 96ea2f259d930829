/** A question to answer before dragging; the answer is computed when it is asked for. */

import { h, say } from "../core/dom.js";

/**
 * @param {{text: string, choices: string[]}} question
 * @param {() => Promise<{choice: number, because: string}>} answer
 * @returns {any} The element.
 */
export function questionCard(question, answer) {
  const because = h("p", { class: "because", role: "status" });
  // A mark takes the place of a ring, so that no button grows when an answer is marked.
  const marks = question.choices.map(() => h("span", { class: "mark", "aria-hidden": "true" }));
  const words = question.choices.map(() => h("span", { class: "unseen" }));
  const buttons = question.choices.map((text, k) =>
    h("button", { type: "button", on: { click: () => pick(k) } }, marks[k], h("span", {}, text), words[k]));

  async function pick(chosen) {
    let found;
    try {
      found = await answer();
    } catch (error) {
      say(because, error.message);
      return;
    }
    buttons.forEach((button, k) => {
      const right = k === found.choice;
      button.toggleAttribute("data-right", right);
      button.toggleAttribute("data-wrong", k === chosen && !right);
      say(marks[k], right ? "✓" : k === chosen ? "✗" : "");
      say(words[k], right ? "right" : k === chosen ? "not so" : "");
    });
    say(because, `${chosen === found.choice ? "Yes." : "No."} ${found.because}`);
  }

  return h("fieldset", { class: "question" }, h("legend", {}, question.text),
    h("div", { class: "choices" }, ...buttons), because);
}

/**
 * A system's questions, one at a time.
 * @param {any[]} questions
 * @param {(number: number) => Promise<{choice: number, because: string}>} answer
 * @returns {any} The element.
 */
export function questionDeck(questions, answer) {
  const many = questions.length > 1;
  const place = h("span", { class: "small quiet" });
  const next = h("button", { type: "button", class: "plain", on: { click: () => turn(1) } }, "Next question");
  const cards = questions.map((question, k) => {
    /** @type {Promise<any>|undefined} */
    let found;
    return questionCard(question, () => (found ||= answer(k).catch((error) => { found = undefined; throw error; })));
  });
  let at = 0;
  function turn(by) {
    at = (at + by) % cards.length;
    cards.forEach((card, k) => { card.hidden = k !== at; });
    say(place, `Question ${at + 1} of ${cards.length}`);
    if (by) cards[at].querySelector("button").focus();
  }
  turn(0);
  return h("div", { class: "deck" }, ...cards, many && h("div", { class: "turn" }, place, next));
}
