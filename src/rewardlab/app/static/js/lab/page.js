/** The lab's page: collect preferences, fit a reward, optimise a policy, watch it break. */

import { boot } from "../core/data.js";
import { byId, h, ready } from "../core/dom.js";
import { forget, keep, kept } from "../core/keep.js";
import { arrived, load } from "../core/load.js";
import { Outbox } from "../core/outbox.js";
import { ask } from "./api.js";
import { AutoLabel } from "./auto_label.js";
import { Compare } from "./compare.js";
import { foretold } from "./foretold.js";
import { Guide } from "./guide.js";
import { Optimise, STACKED } from "./optimise.js";
import { Pairs } from "./pairs.js";
import { Reward } from "./reward.js";
import { Settings } from "./settings.js";

const PATIENCE_MS = 10_000;

const data = boot();
const settings = new Settings(data);
settings.read();

/** @type {any} What the server has of this visitor. */
let state = null;
/** @type {any} The run that was shown last, also in an earlier visit: see `Optimise.restore`. */
let last = JSON.parse(kept("run") || "null");
/** @type {any} Settings of the run whose policy can write answers. */
let lastRun = last && last.run;

const outbox = new Outbox({ events: "event.", refused: "refused." },
  (events) => ask("events", { events }, PATIENCE_MS), ({ state: newer }) => onState(newer), count);
const pairs = new Pairs(() => compare.show());
const compare = new Compare(data, settings, pairs, outbox, onSet);
const auto = new AutoLabel(data, settings, onSet, { label: () => labelBatch(), clear: clearAll, download: saveLabels });
const reward = new Reward(data);
const optimise = new Optimise(data, settings, onSet, { flush, ran });
const guide = new Guide(data.experiments, startExperiment, placeOf, reveal);

byId("experiments").append(guide.element);
byId("collect").append(...compare.elements(), auto.element);
byId("fit").append(...reward.elements());
byId("optimise").append(...optimise.elements());
byId("own-data").addEventListener("toggle", openImport);
addEventListener("focus", look);
addEventListener("storage", count);
begin();

async function begin() {
  showSettings();
  guide.restore(last && last.guided);
  await Promise.all([pairs.fill(), catchUp()]);
  compare.show();
  ready();
  if (last) await showLast();
}

/** The run of an earlier visit; one whose labels are gone is forgotten. */
async function showLast() {
  try {
    await optimise.restore(last);
  } catch (error) {
    if (error.status !== 422) return;
    forget("run");
    lastRun = null;
    showSettings();
  }
}

/** Where an experiment's text stands, and what to bring into view with it. */
function placeOf(stage) {
  if (stage === "optimise" && matchMedia(STACKED).matches) return optimise.notePlace;
  return byId(`note-${stage}`);
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

/** What another tab did meanwhile. */
async function look() {
  const newer = await ask("state").catch(() => null);
  if (!newer) return;
  onState(newer);
  count();
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
  byId("fit").closest("section").scrollIntoView({ block: "nearest" });
}

function labelBatch(rater = settings.values.rater) {
  const { prompt, thumbs_weight, n, seed } = settings.values;
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
  if (outbox.refused().length) throw new Error("The server did not take all labels: see stage 1.");
  state ||= await ask("state");
  return state;
}

function ran({ settings: run, guided = null }, before) {
  lastRun = run;
  last = { run, guided, beside: before && { settings: before.settings, label: before.label } };
  keep("run", JSON.stringify(last));
  guide.ran(guided);
  showSettings();
}

async function startExperiment(experiment, seed = experiment.settings.seed) {
  const { beside, by_hand } = experiment;
  settings.apply({ ...experiment.settings, seed });
  showSettings();
  clearAll();
  if (by_hand) return;
  if (beside && beside.rater) {
    labelBatch(beside.rater);
    clearAll();
  }
  labelBatch();
  await optimise.runGuided(experiment);
}

async function saveLabels() {
  try {
    await flush();
    const { saveLabels: save } = await arrived(import("./downloads.js"));
    compare.tell(await save());
  } catch (error) {
    compare.fail(error.message);
  }
}

async function openImport() {
  const place = byId("own-data-panel");
  if (place.childElementCount) return;
  try {
    const [{ importPanel }] = await Promise.all([arrived(import("../reports/import.js")), load("css/reports.css")]);
    place.replaceChildren(importPanel());
  } catch (error) {
    place.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  }
}
