/** The page of one system in a static copy: results lie in files, one for each state that was kept. */

import { fetchKind } from "../charts/chart.js";
import { valueText, writeAddress } from "../core/address.js";
import { boot, request } from "../core/data.js";
import { byId, h, ready } from "../core/dom.js";
import { tellHeight } from "./embed.js";
import { questionDeck } from "./question.js";
import { nearest } from "./stops.js";
import { systemView } from "./view.js";

const { system, result, copy } = boot();
const defaults = Object.fromEntries(system.controls.map((control) => [control.name, control.default]));
const asked = new URLSearchParams(location.search);
const embedded = asked.get("embed") === "1";
/** @type {Map<string, Promise<any>>} */
const found = new Map();

/** The index of the kept value nearest to a setting. */
function place(control, value) {
  return control.kind === "slider" ? nearest(control.stops, Number(value)) : Math.max(0, control.stops.indexOf(value));
}

/** The kept state nearest to the settings. */
async function results(settings) {
  const name = system.controls.map((control) => copy.names[control.name][place(control, settings[control.name])]).join("_") || "only";
  if (!found.has(name)) {
    found.set(name, request(`${copy.folder}/${encodeURIComponent(name)}.json`).catch((error) => { found.delete(name); throw error; }));
  }
  const state = await found.get(name);
  if (state.error) throw new Error(state.error);
  return state;
}

/** What the address asks for, as far as the copy has it; `missing` says where it does not. */
function wanted() {
  const settings = { ...defaults };
  const missing = [];
  for (const control of system.controls) {
    const text = asked.get(control.name);
    if (text === null) continue;
    const value = control.kind === "slider" ? Number(text) : control.kind === "switch" ? text === "on" : text;
    if (!Number.isNaN(value)) settings[control.name] = control.stops[place(control, value)];
    if (settings[control.name] !== value) missing.push(`${control.name} ${text}, but ${valueText(settings[control.name])}`);
  }
  return { settings, missing };
}

function embed() {
  document.body.classList.add("embedded");
  for (const part of document.querySelectorAll("header.site, footer.site, .skip, .eyebrow, .lead, .paragraph, .sources, .neighbours")) part.remove();
  tellHeight();
}

if (embedded) embed();
const questions = embedded ? system.questions.slice(0, 1) : system.questions;
if (questions.length) byId("questions").append(questionDeck(questions, (k) => request(`${copy.folder}/answer-${k}.json`)));
const { settings, missing } = wanted();
if (missing.length) {
  document.querySelector(".copy-note")?.append(h("p", { role: "status" }, `The address asks for what this copy does not have: it has no ${missing.join("; no ")}.`));
}
const moved = Object.keys(settings).some((name) => settings[name] !== defaults[name]);
const first = moved ? await results(settings).catch(() => result) : result;
await fetchKind(first.chart.kind);
byId("widget").replaceChildren(systemView(system, first, results, (shown) => writeAddress(shown, defaults)));
ready();
