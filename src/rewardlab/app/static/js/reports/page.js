/** The list of audits: a file to audit, and what was audited before. */

import { request } from "../core/data.js";
import { byId, ready, say } from "../core/dom.js";
import { importPanel } from "./import.js";

const POLL_MS = 1500;

const said = byId("said");

byId("import").append(importPanel());
for (const item of document.querySelectorAll("li[data-report], li[data-upload]")) mount(item);
if (document.querySelector('li[data-state="waiting"], li[data-state="running"]')) setTimeout(follow, POLL_MS);
ready();

/** @param {any} item */
function mount(item) {
  const { report, upload, title } = item.dataset;
  const address = report ? `/api/audits/${report}` : `/api/uploads/${upload}`;
  const remove = item.querySelector(".delete");
  remove.addEventListener("click", () => {
    if (remove.dataset.sure === undefined) return ask(remove);
    act(remove, async () => {
      await request(address, { method: "DELETE" });
      say(said, `Deleted: ${title}`);
      gone(item);
    });
  });
  remove.addEventListener("blur", () => calm(remove));
  const audit = item.querySelector(".audit");
  audit?.addEventListener("click", () => act(audit, async () => {
    const job = await request("/api/audits", { body: { upload } });
    location.assign(job.page);
  }));
}

/** A second press deletes: nothing can bring a report back. */
function ask(button) {
  button.dataset.sure = "";
  button.dataset.name = button.getAttribute("aria-label");
  button.removeAttribute("aria-label");
  button.textContent = "Delete for good?";
}

function calm(button) {
  if (button.dataset.sure === undefined) return;
  delete button.dataset.sure;
  button.setAttribute("aria-label", button.dataset.name);
  button.textContent = "Delete";
}

async function act(button, job) {
  button.disabled = true;
  try {
    await job();
  } catch (error) {
    say(said, error instanceof Error ? error.message : String(error));
    button.disabled = false;
  }
}

/** Take an item away and leave the focus at the next one. */
function gone(item) {
  const next = item.nextElementSibling || item.previousElementSibling;
  item.remove();
  const target = next?.querySelector("a, button") || byId("main");
  target.focus();
}

/** Reload once an audit that runs has ended, unless somebody is at work above. */
async function follow() {
  const { audits } = await request("/api/audits").catch(() => ({ audits: [] }));
  const now = new Map(audits.map((audit) => [audit.report, audit]));
  let running = false;
  for (const item of document.querySelectorAll("li[data-state]")) {
    const { dataset } = /** @type {HTMLElement} */ (item);
    const audit = now.get(dataset.report);
    if (!audit || !["waiting", "running"].includes(dataset.state || "")) continue;
    running = true;
    const state = item.querySelector(".state");
    if (audit.done) finish(item, dataset);
    else if (state) say(state, words(audit));
    if (!["waiting", "running"].includes(audit.state)) dataset.state = audit.state;
  }
  if (running) setTimeout(follow, POLL_MS);
}

function finish(item, dataset) {
  const state = item.querySelector(".state");
  if (state) say(state, "Done");
  say(said, `The audit of ${dataset.title} is done.`);
}

function words(audit) {
  if (audit.error) return `Failed: ${audit.error}`;
  const share = audit.share === null ? "" : ` (${Math.round(100 * audit.share)}%)`;
  return audit.step ? `${audit.step}${share}` : audit.state;
}
