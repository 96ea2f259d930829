/** The admin's page of a project: its figures, which renew themselves, and what can be changed. */

import { boot, request } from "../core/data.js";
import { byId, ready, say } from "../core/dom.js";
import { Guidelines } from "./admin_guidelines.js";
import { Links } from "./admin_links.js";
import { Order } from "./admin_order.js";
import { People } from "./admin_people.js";
import { Agreement, Progress } from "./admin_progress.js";
import { Reward } from "./admin_reward.js";
import { followLinks } from "./entering.js";

const POLL_MS = 4000;
const PATIENT_MS = 20_000;

const started = boot();
const address = `/api/annotate/${started.project}/admin`;
let key = "";

const progress = new Progress();
const agreement = new Agreement();
const people = new People();
const links = new Links(address, show);
const reward = new Reward(address, (answer) => people.showFlips(answer));

byId("progress").append(progress.element);
byId("agreement").append(agreement.element);
byId("people").append(people.element);
byId("links").append(links.element);
byId("reward").append(reward.element);
byId("guidelines").append(new Guidelines(address, started).element);
byId("order").append(new Order(address, started.order).element);

show(started.state);
let timer = setTimeout(follow, POLL_MS);
document.addEventListener("visibilitychange", follow);
followLinks(byId("trouble"));
ready();

/** @param {any} state As the server sends it; with its key alone where nothing is new. */
function show(state) {
  if (state.key === key && !state.links) return;
  key = state.key;
  if (!state.links) return;
  say(byId("progress-sentence"), state.progress.sentence);
  progress.show(state);
  agreement.show(state);
  people.show(state);
  links.show(state.links);
  say(byId("left-out"), state.left_out);
  byId("files").hidden = state.n === 0;
  byId("no-files").hidden = state.n > 0;
  reward.ask(state.n);
}

/** Ask for what is new as long as somebody looks; a server that is away is asked again, less often. */
async function follow() {
  clearTimeout(timer);
  let wait = POLL_MS;
  if (!document.hidden) {
    try {
      show(await request(`${address}/state?seen=${encodeURIComponent(key)}`));
      say(byId("trouble"), "");
    } catch (error) {
      say(byId("trouble"), `${error.message} The figures below are from before.`);
      wait = PATIENT_MS;
    }
  }
  clearTimeout(timer);
  timer = setTimeout(follow, wait);
}
