/** The lab's page: collect preferences, fit a reward, optimise a policy, watch it break. */

import { boot } from "../core/data.js";
import { byId, h, ready } from "../core/dom.js";
import { ask } from "./api.js";
import { AutoLabel } from "./auto_label.js";
import { Compare } from "./compare.js";
import { Guide } from "./guide.js";
import { Optimise } from "./optimise.js";
import { Outbox, foretold } from "./outbox.js";
import { Pairs } from "./pairs.js";
import { Reward } from "./reward.js";
import { Settings } from "./settings.js";

const data = boot();
const settings = new Settings(data);
settings.read();

/** @type {any} What the server has of this visitor. */
let state = null;
/** @type {any} The run whose policy can write answers. */
let lastRun = null;

const outbox = new Outbox(onState, count);
const pairs = new Pairs(() => compare.show());
const compare = new Compare(data, settings, pairs, outbox, onSet);
const auto = new AutoLabel(data, settings, onSet, { label: labelBatch, clear: clearAll, download: saveLabels });
const reward = new Reward(data);
const optimise = new Optimise(data, settings, onSet, { flush, ran });
const guide = new Guide(data.experiments, startExperiment, { hand: byId("note-hand"), run: byId("note-run") }, reveal);

byId("experiments").append(guide.element);
byId("collect").append(...compare.elements(), auto.element);
byId("fit").append(...reward.elements());
byId("optimise").append(...optimise.elements());
byId("own-data").addEventListener("toggle", openImport);
begin();

async function begin() {
  showSettings();
  await Promise.all([pairs.fill(), catchUp()]);
  compare.show();
  ready();
}

/** What the server has, as soon as it says so. */
async function catchUp() {
  try {
    onState(await ask("state"));
  } catch (error) {
    compare.fail(error.message);
    setTimeout(catchUp, 2_000);
  }
  count();
  outbox.now();
}

function onState(newer) {
  if (state && newer.revision < state.revision) return;
  state = newer;
  reward.show(state);
}

function count() {
  const pending = outbox.pending();
  const n_labels = foretold(state ? state.n_labels : 0, pending);
  compare.count(n_labels, pending.length);
  guide.count(n_labels);
}

function onSet(name, value) {
  settings.set(name, value);
  showSettings();
}

function showSettings() {
  compare.showSettings(lastRun);
  auto.show();
  optimise.showSettings();
  const writer = settings.values.writer === "policy" && lastRun ? "policy" : "reference";
  const { prompt, seed } = settings.values;
  pairs.follow({ prompt, seed, writer, run: writer === "policy" ? lastRun : null });
}

async function reveal() {
  if (!reward.revealed) await reward.toggle();
  byId("fit").scrollIntoView({ block: "nearest" });
}

function labelBatch() {
  const { prompt, rater, thumbs_weight, n, seed } = settings.values;
  const { writer, run } = pairs.question;
  compare.acted();
  outbox.add({ kind: "auto", prompt, rater, thumbs_weight, n, seed, writer, run });
}

function clearAll() {
  compare.acted();
  outbox.add({ kind: "clear" });
}

/** Send what waits; a run must see every label. */
async function flush() {
  await outbox.flush();
  if (outbox.refusal) throw new Error(outbox.refusal);
  state ||= await ask("state");
  return state;
}

function ran(run) {
  lastRun = run;
  showSettings();
}

async function startExperiment(experiment) {
  settings.apply(experiment.settings);
  showSettings();
  clearAll();
  if (experiment.by_hand) return;
  labelBatch();
  await optimise.run(experiment.beside || null);
}

async function saveLabels() {
  try {
    await flush();
    const { saveLabels: save } = await import("./downloads.js");
    compare.tell(await save());
  } catch (error) {
    compare.fail(error.message);
  }
}

async function openImport() {
  const place = byId("own-data-panel");
  if (place.childElementCount) return;
  try {
    const { importPanel } = await import("../reports/import.js");
    place.replaceChildren(importPanel());
  } catch (error) {
    place.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  }
}
