/** The table of contents, with what has been answered. */

import { boot } from "../core/data.js";
import { byId, ready, say } from "../core/dom.js";
import { answered, forget } from "./progress.js";

/** @type {Record<string, string[]>} */
const chapters = boot();

function show() {
  const done = answered();
  for (const [name, questions] of Object.entries(chapters)) {
    const line = document.querySelector(`[data-chapter="${name}"]`);
    if (!line) continue;
    const n = questions.filter((id) => done.has(id)).length;
    const bar = line.querySelector("progress");
    if (bar) bar.value = n;
    say(line.querySelector("span"), n === questions.length ? `all ${n} questions` : `${n} of ${questions.length} questions`);
    line.toggleAttribute("data-complete", n === questions.length);
  }
}

byId("forget").addEventListener("click", () => {
  forget();
  show();
  say(byId("forgotten"), "Forgotten.");
});
show();
ready();
