/** A chapter: questions to answer, widgets to open, formulas to read. */

import { boot, request } from "../core/data.js";
import { ready, say } from "../core/dom.js";
import { questionCard } from "../systems/question.js";
import { answered, remember } from "./progress.js";
import { tieTerms } from "./terms.js";
import { mountOnOpening } from "./widgets.js";

/** @type {{name: string, questions: {text: string, choices: string[]}[]}[]} */
const systems = boot();

function showDone() {
  const done = answered();
  for (const { name, questions } of systems) {
    const n = questions.filter((_, k) => done.has(`${name}/${k}`)).length;
    const all = n === questions.length;
    say(document.querySelector(`[data-done="${name}"]`), !n ? "" : all ? "✓ answered" : `${n} of ${questions.length}`);
  }
}

for (const { name, questions } of systems) {
  const place = document.querySelector(`[data-questions="${name}"]`);
  if (!place) continue;
  place.append(...questions.map((question, k) => {
    /** @type {any} */
    let found;
    return questionCard(question, async () => {
      found ||= await request(`/api/systems/${name}/answers/${k}`);
      remember(`${name}/${k}`);
      showDone();
      return found;
    });
  }));
}
for (const details of document.querySelectorAll("[data-widget]")) mountOnOpening(details);
tieTerms();
showDone();
ready();
