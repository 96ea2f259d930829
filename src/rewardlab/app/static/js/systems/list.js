/** The list of systems, filtered by the words that each speaks. */

import { boot } from "../core/data.js";
import { byId, ready, say } from "../core/dom.js";

const words = boot();
const field = byId("filter");
const count = byId("count");
/** @type {any[]} */
const groups = [...document.querySelectorAll("[data-theme]")];
const total = document.querySelectorAll("[data-name]").length;

/** True if a word of the system begins with each of the terms. */
function speaks(name, terms) {
  const said = ` ${words[name]}`;
  return terms.every((term) => said.includes(` ${term}`));
}

function filter() {
  const terms = field.value.toLowerCase().match(/[^\W_]+/g) || [];
  let left = 0;
  for (const group of groups) {
    let here = 0;
    for (const item of group.querySelectorAll("[data-name]")) {
      item.hidden = !speaks(item.dataset.name, terms);
      here += Number(!item.hidden);
    }
    group.hidden = !here;
    left += here;
  }
  say(count, terms.length ? `${left} of ${total}` : `${total} systems`);
}

field.addEventListener("input", filter);
filter();
ready();
