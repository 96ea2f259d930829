/** The pairs of a project, one at a time: read, judge, go on. */

import { boot, request } from "../core/data.js";
import { byId, h, ready, say } from "../core/dom.js";
import { forget, keep, kept } from "../core/keep.js";
import { shortcut } from "../core/keys.js";
import { arrived } from "../core/load.js";
import { randomName } from "../core/names.js";
import { Outbox } from "../core/outbox.js";
import { Clock } from "./clock.js";
import { Column } from "./column.js";
import { showGuidelines, showKeys } from "./dialogs.js";
import { enter, tokenInAddress } from "./entering.js";
import { Judging, Standing, STRENGTHS, VERDICTS, inWords } from "./judging.js";
import { Notices } from "./notices.js";
import { Queue } from "./queue.js";

const PATIENCE_MS = 20_000;
const REMEMBERED = 200;
const PAGE = 0.85;

const data = boot();
// No name of a person or a project has a slash in it: nobody's labels are ever taken for another's.
// Nor for those of a project by the same name in another database that is served here another day.
const own = `annotate/${data.project}/${data.made}/${data.annotator}/`;
const places = { events: `${own}event.`, refused: `${own}refused.` };
const clock = new Clock();
const columns = { prompt: new Column("Prompt", "prompt"), left: new Column("A", "side"), right: new Column("B", "side") };
const judging = new Judging(judge, undo, keepDraft);
const standing = new Standing();
const outbox = new Outbox(places, (events) => ask("labels", { annotator: data.annotator, events }), () => {}, showState);
const queue = new Queue((wanted) => ask("next", { annotator: data.annotator, ...wanted }), outbox, showPair);
const notices = new Notices(outbox, {
  again: () => queue.fill(), goOn: () => queue.goOn(), skipped: () => openOwn(true),
});
const view = {
  formatted: toggle("Markdown", "M", kept("annotate.view") !== "written", (on) => { keep("annotate.view", on ? "rich" : "written"); view.own.set(false); draw(); }),
  own: toggle("Differences", "D", false, compare),
  wrapped: toggle("Wrap code", "W", kept("annotate.wrap") === "on", (on) => { keep("annotate.wrap", on ? "on" : "off"); wrap(); }),
};
const letters = h("input", { type: "checkbox", id: "letters" });
letters.checked = kept("keys") !== "off";
letters.addEventListener("change", () => keep("keys", letters.checked ? "on" : "off"));
const stopping = button("Stop for now", "", stop);

/** @type {{pair: any, label: any}[]} What was judged on this page, and can be taken back at once. */
const done = [];
let shown = -1;
let n_shown = 0;

mount();
if (!await opened()) begin();
addEventListener("hashchange", opened);

function mount() {
  byId("standing").append(standing.element);
  byId("tools").append(
    ...(data.guidelines ? [button("Guidelines", "G", () => showGuidelines(data.guidelines))] : []),
    button("Judged before", "H", () => openOwn(false)), button("Keys", "?", openKeys), stopping);
  byId("notices").append(notices.element);
  byId("pair").append(columns.prompt.element, h("div", { class: "sides" }, columns.left.element, columns.right.element));
  byId("view").append(...Object.values(view).map((one) => one.button));
  byId("judge").append(judging.element);
  document.addEventListener("keydown", onKey);
  addEventListener("storage", onOtherTab);
  addEventListener("focus", () => queue.fill());
}

/**
 * Whose link is in the address? It may be another's than the one that this browser was opened with.
 * @returns {Promise<boolean>} True where another page comes, or the person must say who they are.
 */
async function opened() {
  const token = tokenInAddress();
  if (!token) return false;
  try {
    await enter(token);
  } catch (error) {
    if (queue.current) queue.stop();
    notices.showStranger(error.message, data.annotator, begin);
    showPair();
    ready();
  }
  return true;
}

async function begin() {
  showState();
  outbox.now();
  await queue.goOn();
  ready();
  if (data.guidelines && kept(`${own}read`) !== data.edition) {
    keep(`${own}read`, data.edition);
    showGuidelines(data.guidelines);
  }
}

function ask(name, body) {
  return request(`/api/annotate/${data.project}/${name}`, { body, signal: AbortSignal.timeout(PATIENCE_MS) });
}

function judge(outcome) {
  const pair = queue.current;
  if (!pair) return;
  const chosen = outcome === "left" || outcome === "right";
  const label = {
    id: randomName(), kind: "label", pair: pair.pair, outcome, strength: chosen ? judging.strength : null,
    reason: judging.reason.value.trim(), duration_s: clock.seconds(), judged_at: new Date().toISOString(),
  };
  done.push({ pair, label });
  if (done.length > REMEMBERED) done.shift();
  outbox.add(label);
  forget(`${own}draft`);
  queue.advance(outcome !== "skip");
  say(byId("told"), `${inWords(label)}.`);
  showPair();
}

async function undo() {
  const last = done.pop();
  if (last) takeBack(last.pair, last.label);
  else await undoEarlier();
}

/** Take back what was judged before this page was opened. */
async function undoEarlier() {
  try {
    await outbox.flush();
    const { judged } = await ask("history");
    if (judged.length) await change(judged[0]);
    else say(byId("told"), "There is nothing to undo.");
  } catch (error) {
    say(byId("told"), error.message);
  }
}

/** Judge again what was judged before. @param {any} label */
async function change(label) {
  try {
    const pair = await ask(`pairs/${label.pair}`);
    takeBack(pair, label);
  } catch (error) {
    say(byId("told"), error.message);
  }
}

function takeBack(pair, label) {
  const earlier = done.findIndex((one) => one.label.id === label.id);
  if (earlier >= 0) done.splice(earlier, 1);
  outbox.add({ kind: "undo", pair: label.pair, undone: label.id, judged_at: new Date().toISOString() });
  queue.back(pair, label.outcome !== "skip");
  shown = -1;
  keep(`${own}draft`, JSON.stringify({ pair: pair.pair, strength: label.strength, reason: label.reason }));
  say(byId("told"), `Taken back. You had said: ${inWords(label)}.`);
  showPair();
}

function keepDraft() {
  const pair = queue.current;
  if (pair) keep(`${own}draft`, JSON.stringify({ pair: pair.pair, strength: judging.strength, reason: judging.reason.value }));
}

/** Show the pair whose turn it is, unless it is on screen. */
function showPair() {
  const pair = queue.current;
  const focused = document.activeElement;
  judging.enable(Boolean(pair));
  stopping.hidden = queue.stopped;
  byId("work").hidden = !pair;
  showState();
  keepFocus(focused);
  if (!pair) shown = -1;
  if (!pair || pair.pair === shown) return;
  shown = pair.pair;
  n_shown += 1;
  const draft = JSON.parse(kept(`${own}draft`) || "null");
  judging.show(draft && draft.pair === pair.pair ? draft : { strength: null, reason: "" });
  view.own.set(false);
  draw();
  clock.restart();
  if (byId("work").getBoundingClientRect().top < 0) byId("work").scrollIntoView();
  if (n_shown > 1) say(byId("heard"), `Next pair. ${pair.prompt.at(-1)?.text.slice(0, 120) || ""}`);
}

/** Where the keys went has gone with the pair, or with what stood in its place. @param {Element|null} focused */
function keepFocus(focused) {
  if (!focused || focused === document.body || focused.checkVisibility()) return;
  if (queue.current) byId("main").focus();
  else notices.focus();
}

/** The pair on screen, in the view that was chosen. */
function draw() {
  const pair = queue.current;
  if (!pair) return;
  for (const [name, column] of Object.entries(columns)) column.show(pair[name], view.formatted.on);
  wrap();
  view.formatted.button.hidden = !Object.values(columns).some((column) => column.hasMarkdown);
  view.wrapped.button.hidden = !byId("pair").querySelector("pre");
}

function wrap() {
  byId("pair").toggleAttribute("data-wrapped", view.wrapped.on);
}

/** @param {boolean} on */
async function compare(on) {
  const pair = queue.current;
  if (!pair) return;
  if (!on) {
    draw();
    return;
  }
  try {
    const { left, right } = await ask(`pairs/${pair.pair}/diff`);
    if (pair !== queue.current || !view.own.on) return;
    columns.left.showOwn(left);
    columns.right.showOwn(right);
    say(byId("told"), "Underlined: words that the other answer does not have there.");
  } catch (error) {
    view.own.set(false);
    say(byId("told"), error.message);
  }
}

function showState() {
  const pending = outbox.pending();
  standing.showProgress(queue.progress, queue.since);
  standing.showWaiting(pending.length, Boolean(outbox.failure));
  notices.show(queue, pending.length);
}

async function stop() {
  queue.stop();
  showPair();
  try {
    await outbox.flush();
    await request(`/api/annotate/${data.project}/release`, { method: "POST" });
  } catch {
    // They go back by themselves after a while; what waits is kept, and is said.
  }
}

/** @param {boolean} skipped */
async function openOwn(skipped) {
  try {
    await outbox.flush();
    const [{ judged }, { showOwn }] = await Promise.all([ask(skipped ? "history?skipped=true" : "history"), arrived(import("./own.js"))]);
    showOwn(judged, skipped ? "What you skipped" : "What you judged before", change);
  } catch (error) {
    say(byId("told"), error.message);
  }
}

function openKeys() {
  showKeys(h("p", { class: "keys" }, letters, h("label", { for: "letters" }, "letter keys work")));
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (document.querySelector("dialog[open]")) return;
  const key = shortcut(event);
  if (!key || !letters.checked && key.length === 1 && key !== "?") return;
  const act = actOf(key, event.target);
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {string} key @param {EventTarget|null} target @returns {(() => void)|null} */
function actOf(key, target) {
  const verdict = VERDICTS.find(([, letter]) => letter === key);
  if (verdict) return queue.current ? () => judge(verdict[0]) : null;
  const strength = Number(key);
  if (strength >= 1 && strength <= STRENGTHS.length) return queue.current ? () => judging.setStrength(strength) : null;
  const acts = {
    "U": undo, "R": () => judging.reason.focus(), "?": openKeys, "H": () => openOwn(false),
    "M": view.formatted.flip, "D": view.own.flip, "W": view.wrapped.flip,
    "G": data.guidelines ? () => showGuidelines(data.guidelines) : null,
  };
  return acts[key] || ([document.body, byId("main")].includes(target) ? scrolling(key) : null);
}

/** Both texts move together, unless one of them has the focus. @param {string} key */
function scrolling(key) {
  const bodies = [columns.left.body, columns.right.body];
  if (bodies.every((body) => body.scrollHeight <= body.clientHeight)) return null;
  const step = { ArrowDown: 60, ArrowUp: -60, PageDown: PAGE, PageUp: -PAGE, Home: -Infinity, End: Infinity }[key];
  if (!step) return null;
  return () => bodies.forEach((body) => {
    const by = Math.abs(step) < 1 ? step * body.clientHeight : step;
    body.scrollTop = Number.isFinite(by) ? body.scrollTop + by : by > 0 ? body.scrollHeight : 0;
  });
}

/** What was judged in another tab is not asked again in this one. @param {StorageEvent} event */
function onOtherTab({ key, newValue }) {
  if (key && newValue && key.includes(places.events)) {
    const event = JSON.parse(newValue);
    if (event.kind === "label") queue.drop(event.pair);
  }
  showState();
}

function button(label, key, act) {
  return h("button", { type: "button", class: "plain", "aria-keyshortcuts": key || null, on: { click: act } }, h("span", {}, label), key && h("kbd", {}, key));
}

/** A button that is on or off. @param {string} label @param {string} key @param {boolean} on @param {(on: boolean) => void} act */
function toggle(label, key, on, act) {
  const made = button(label, key, () => one.flip());
  const one = {
    on, button: made,
    set(next) { one.on = next; made.setAttribute("aria-pressed", String(next)); },
    flip() { one.set(!one.on); act(one.on); },
  };
  one.set(on);
  return one;
}
