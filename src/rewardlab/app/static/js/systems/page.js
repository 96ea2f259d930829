/** The page of one system. */

import { fetchKind } from "../charts/chart.js";
import { queryOf, writeAddress } from "../core/address.js";
import { boot, request } from "../core/data.js";
import { byId, ready } from "../core/dom.js";
import { arrived } from "../core/load.js";
import { questionDeck } from "./question.js";
import { systemView } from "./view.js";

const { system, result } = boot();
const api = `/api/systems/${system.name}`;
const embedded = document.body.classList.contains("embedded");
const defaults = Object.fromEntries(system.controls.map((control) => [control.name, control.default]));
const questions = embedded ? system.questions.slice(0, 1) : system.questions;

if (questions.length) byId("questions").append(questionDeck(questions, (k) => request(`${api}/answers/${k}`)));
await fetchKind(result.chart.kind);
byId("widget").replaceChildren(systemView(
  system,
  result,
  (settings, seed) => request(`${api}/result?${queryOf(settings, seed)}`),
  (settings, seed) => writeAddress({ ...settings, seed }, { ...defaults, seed: system.draws ? 0 : null }),
));
if (embedded) (await arrived(import("./embed.js"))).tellHeight();
ready();
