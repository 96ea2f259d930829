/** The glossary: words are found as they are typed. */

import { byId, ready, say } from "../core/dom.js";

const filter = byId("filter");
const entries = [...document.querySelectorAll(".entry")].map((element) => ({
  element: /** @type {HTMLElement} */ (element),
  name: folded(element.querySelector("dt")),
  words: folded(element.querySelector("dd")),
}));
const letters = [...document.querySelectorAll(".letter")];

function folded(element) {
  return plain(element ? element.textContent : "");
}

function plain(text) {
  return text.toLowerCase().replaceAll("\u2019", "'").replace(/[\s-]+/g, " ").trim();
}

function show() {
  const wanted = plain(filter.value);
  let n = 0;
  for (const { element, name, words } of entries) {
    const found = !wanted || name.includes(wanted) || (wanted.length > 2 && words.includes(wanted));
    element.hidden = !found;
    if (found) n += 1;
  }
  for (const letter of letters) {
    /** @type {any} */ (letter).hidden = !letter.querySelector(".entry:not([hidden])");
  }
  say(byId("found"), n ? `${n} ${n === 1 ? "word" : "words"}` : "No word has this in it.");
}

filter.addEventListener("input", show);
// A link to a word must find it, whatever is typed.
addEventListener("hashchange", () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || !target.hidden) return;
  filter.value = "";
  show();
  target.scrollIntoView();
});
show();
ready();
