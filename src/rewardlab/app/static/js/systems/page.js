/** The page of one system. */

import { queryOf, writeAddress } from "../core/address.js";
import { boot, request } from "../core/data.js";
import { byId, ready } from "../core/dom.js";
import { questionCard } from "./question.js";
import { systemView } from "./view.js";

const { system, result } = boot();
const api = `/api/systems/${system.name}`;
const defaults = Object.fromEntries(system.controls.map((control) => [control.name, control.default]));

const questions = system.questions.map((question, k) => {
  let found;
  return questionCard(question, async () => (found ||= await request(`${api}/answers/${k}`)));
});
byId("questions").append(...questions);
byId("widget").append(systemView(
  system,
  result,
  (settings, seed) => request(`${api}/result?${queryOf(settings, seed)}`),
  (settings, seed) => writeAddress({ ...settings, seed }, { ...defaults, seed: system.draws ? 0 : null }),
));
ready();
