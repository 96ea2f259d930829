/** The list of audits: a file to audit, and what was audited before. */

import { busyWith } from "../core/busy.js";
import { request } from "../core/data.js";
import { byId, ready, say } from "../core/dom.js";
import { importPanel } from "./import.js";

const STATUSES = ["fail", "warn", "cannot say", "pass"];
const POLL_MS = 1500;
const RUNNING = 'li[data-state="waiting"], li[data-state="running"]';

byId("import").append(importPanel(renew));
mountAll();
if (document.querySelector(RUNNING)) setTimeout(follow, POLL_MS);
ready();

function mountAll() {
  for (const item of document.querySelectorAll("li[data-report], li[data-upload]")) mount(item);
}

/** The lists as the server writes them now, unless somebody is at work in them. */
async function renew() {
  const lists = byId("lists");
  try {
    const answer = await fetch("/reports");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("lists");
    if (!found || lists.contains(document.activeElement)) return;
    lists.replaceWith(found);
    mountAll();
  } catch {
    // What is shown stays as it was.
  }
}

/** @param {any} item */
function mount(item) {
  const { report, upload, title } = item.dataset;
  const address = report ? `/api/audits/${report}` : `/api/uploads/${upload}`;
  const remove = item.querySelector(".delete");
  remove.addEventListener("click", () => {
    if (remove.dataset.sure === undefined) return ask(remove);
    act(remove, async () => {
      await request(address, { method: "DELETE" });
      say(byId("said"), `Deleted: ${title}`);
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
  try {
    await busyWith(button, job);
  } catch (error) {
    say(byId("said"), error.message);
  }
}

/** Take an item away and leave the focus at the next one. */
function gone(item) {
  const next = item.nextElementSibling || item.previousElementSibling;
  item.remove();
  const target = next?.querySelector("a, button") || byId("main");
  target.focus();
}

/** Say how far the audits are that run; a server that is away for a while is asked again. */
async function follow() {
  try {
    const { audits } = await request("/api/audits");
    for (const audit of audits) showState(audit);
  } catch {
    // What is shown stays as it was.
  }
  if (document.querySelector(RUNNING)) setTimeout(follow, POLL_MS);
}

function showState(audit) {
  const item = /** @type {HTMLElement|null} */ (document.querySelector(`li[data-report="${audit.report}"]`));
  if (!item || !item.matches(RUNNING)) return;
  item.dataset.state = audit.state;
  say(item.querySelector(".state"), audit.done ? `Done: ${tally(audit.counts)}` : words(audit));
  if (audit.done) say(byId("said"), `The audit of ${item.dataset.title} is done.`);
}

/** How many checks ended in each status, the urgent first. @param {Record<string, number>} counts */
function tally(counts) {
  return STATUSES.filter((status) => counts[status]).map((status) => `${counts[status]} ${status}`).join(", ");
}

function words(audit) {
  if (audit.error) return `Failed: ${audit.error}`;
  const share = audit.share === null ? "" : ` (${Math.round(100 * audit.share)}%)`;
  return audit.step ? `${audit.step}${share}` : audit.state;
}
