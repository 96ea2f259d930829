/** A quiz: one question at a time, the answer computed once one is given. */

import { boot, request } from "../core/data.js";
import { byId, h, ready, say } from "../core/dom.js";
import { shortcut } from "../core/keys.js";
import { remember } from "./progress.js";

/** @type {{system: string, title: string, chapter: string, number: number, text: string, choices: string[]}[]} */
const asked = boot();
const box = byId("quiz");
const { systems, learn } = box.dataset;
/** @type {boolean[]} */
const right = [];

const place = h("p", { class: "small quiet place" });
const bar = h("progress", { max: asked.length, value: 0, "aria-label": "Questions answered" });
const card = h("div", { class: "asked" });
const next = h("button", { type: "button", class: "primary", hidden: true, on: { click: onward } });
const lastKey = h("kbd");
box.append(h("div", { class: "head" }, place, bar), card, h("div", { class: "foot" }, next,
  h("span", { class: "small quiet keys" }, h("kbd", {}, "1"), " to ", lastKey, " answer, ", h("kbd", {}, "Enter"), " goes on")));

let at = 0;
let busy = false;

function show() {
  const question = asked[at];
  say(place, `Question ${at + 1} of ${asked.length} · ${right.filter(Boolean).length} right`);
  bar.value = at;
  next.hidden = true;
  const because = h("p", { class: "because", role: "status" });
  const buttons = question.choices.map((text, k) => {
    const button = h("button", { type: "button" }, h("kbd", { "aria-hidden": "true" }, k + 1), h("span", {}, text), h("span", { class: "mark" }));
    button.addEventListener("click", () => pick(k, buttons, because));
    return button;
  });
  say(lastKey, String(question.choices.length));
  card.replaceChildren(h("p", { class: "eyebrow" }, question.title),
    h("h2", { tabindex: -1, id: "question" }, question.text), setting(question.system),
    h("div", { class: "choices", role: "group", "aria-labelledby": "question" }, ...buttons), because);
}

/** What the question is about, for those who have not met the system yet. */
function setting(system) {
  const words = h("p", { role: "status" });
  const details = h("details", { class: "setting small" }, h("summary", {}, "The setting"), words);
  details.addEventListener("toggle", async () => {
    if (!details.open || words.textContent) return;
    say(words, "…");
    try {
      say(words, (await request(`/api/systems/${system}`)).paragraph);
    } catch (error) {
      say(words, "");
      details.open = false;
      say(details.querySelector("summary"), `The setting (${error.message})`);
    }
  });
  return details;
}

async function pick(chosen, buttons, because) {
  if (busy || right[at] !== undefined) return;
  busy = true;
  const { system, number } = asked[at];
  try {
    const found = await request(`/api/systems/${system}/answers/${number}`);
    right[at] = chosen === found.choice;
    remember(`${system}/${number}`);
    buttons.forEach((button, k) => mark(button, k === found.choice, k === chosen));
    say(because, `${right[at] ? "Yes." : "No."} ${found.because}`);
    say(place, `Question ${at + 1} of ${asked.length} · ${right.filter(Boolean).length} right`);
    bar.value = at + 1;
    next.hidden = false;
    say(next, at + 1 < asked.length ? "Next question" : "See the score");
    next.focus();
  } catch (error) {
    say(because, error.message);
  } finally {
    busy = false;
  }
}

function mark(button, isRight, isChosen) {
  button.toggleAttribute("data-right", isRight);
  button.toggleAttribute("data-wrong", isChosen && !isRight);
  button.setAttribute("aria-disabled", "true");
  say(button.querySelector(".mark"), isRight ? "✓ right" : isChosen ? "✗ not so" : "");
}

function onward() {
  at += 1;
  if (at < asked.length) {
    show();
    byId("question").focus();
  } else {
    finish();
  }
}

/** The score, and what to look at again. */
function finish() {
  const n = right.filter(Boolean).length;
  const missed = [...new Map(asked.filter((_, k) => !right[k]).map((one) => [one.system, one])).values()];
  const title = h("h2", { tabindex: -1 }, `${n} of ${asked.length} right`);
  const list = h("ul", {}, ...missed.map((one) => h("li", {},
    h("a", { href: (systems || "").replace("{name}", one.system) }, one.title), ", or ",
    h("a", { href: `${learn}/${one.chapter}#${one.system}`, "aria-label": `${one.title} in its lesson` }, "in its lesson"))));
  box.replaceChildren(title, ...(missed.length ? [h("p", {}, "Worth another look:"), list] : [h("p", {}, "Nothing to revisit.")]));
  box.dataset.score = `${n}/${asked.length}`;
  title.focus();
}

document.addEventListener("keydown", (event) => {
  const buttons = card.isConnected ? card.querySelectorAll(".choices button") : [];
  const k = Number(shortcut(event)) - 1;
  if (buttons[k]) buttons[k].click();
});

show();
ready();
