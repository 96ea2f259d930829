/** A new project: its file and settings, sent and made; then its admin's link, shown this once. */

import { busyWith } from "../core/busy.js";
import { boot } from "../core/data.js";
import { byId, h, ready, say } from "../core/dom.js";
import { sent } from "../reports/sending.js";

const { upload_bytes: MOST } = boot();

const file = byId("file");
const name = byId("name");
const drop = byId("drop");
const bar = byId("bar");

/** A name that a file suggests: "My pairs.jsonl.gz" gives "my-pairs". */
function suggested(of) {
  const stem = of.replace(/(\.(jsonl|ndjson|json|csv|tsv|parquet|arrow|gz))+$/i, "");
  return stem.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40);
}

let filled = "";
file.addEventListener("change", () => {
  const chosen = file.files[0];
  if (chosen && name.value === filled) name.value = filled = suggested(chosen.name);
});

for (const event of ["dragenter", "dragover"]) drop.addEventListener(event, (e) => over(e, true));
drop.addEventListener("dragleave", (e) => over(e, false));
drop.addEventListener("drop", (e) => {
  over(e, false);
  if (e.dataTransfer && e.dataTransfer.files.length === 1) {
    file.files = e.dataTransfer.files;
    file.dispatchEvent(new Event("change"));
  }
});

/** @param {Event} event @param {boolean} on */
function over(event, on) {
  event.preventDefault();
  drop.classList.toggle("over", on);
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  busyWith(byId("make"), make);
});

async function make() {
  const known = byId("known").files[0];
  const chosen = file.files[0];
  const settings = {
    name: name.value,
    file: chosen.name,
    file_bytes: chosen.size,
    known: known ? known.name : "",
    known_bytes: known ? known.size : 0,
    overlap: Number(byId("overlap").value),
    guidelines: byId("guidelines").value,
    known_every: Number(byId("every").value),
    repeat_share: Number(byId("repeat").value) / 100,
    order: byId("order").value,
  };
  const body = new Blob([`${JSON.stringify(settings)}\n`, chosen, ...(known ? [known] : [])]);
  say(byId("wrong"), "");
  if (body.size > MOST) {
    say(byId("wrong"), `The files have ${Math.ceil(body.size / 1e6)} MB; the lab takes at most ${Math.floor(MOST / 1e6)} MB. Compress them with gzip, or use “rewardlab annotate new NAME FILE”, which has no such limit.`);
    return;
  }
  say(byId("said"), "Sending …");
  bar.hidden = false;
  try {
    show(await sent("/api/annotate", body, progress));
  } catch (error) {
    say(byId("wrong"), error.message);
  }
  say(byId("said"), "");
  bar.hidden = true;
}

/** @param {number} share */
function progress(share) {
  if (share < 1) {
    bar.value = share;
  } else {
    bar.removeAttribute("value");
    say(byId("said"), "Making the project …");
  }
}

/** @param {{project: string, sentences: string[], token: string}} made */
function show(made) {
  const admin = `/annotate/${made.project}/admin`;
  byId("form").hidden = true;
  document.getElementById("none")?.remove();
  byId("made").replaceChildren(
    h("h3", {}, `${made.project} is made`),
    ...made.sentences.map((sentence) => h("p", {}, sentence)),
    made.token && key(`${location.origin}${admin}#${made.token}`),
    h("p", { class: "ways" },
      h("a", { class: "button primary-link", href: admin }, "Manage it and invite people")));
  byId("made").hidden = false;
  byId("made").focus();
}

/** @param {string} address */
function key(address) {
  const field = h("input", { type: "text", id: "key", readonly: true, value: address, on: { focus: () => field.select() } });
  const copied = h("span", { class: "small", role: "status" });
  const copy = h("button", { type: "button", on: { click: async () => {
    try {
      await navigator.clipboard.writeText(address);
      say(copied, "Copied.");
    } catch {
      field.focus();
      say(copied, "Copy it with Ctrl+C.");
    }
  } } }, "Copy");
  return h("div", { class: "key" },
    h("label", { for: "key" }, "Your link as admin"),
    h("div", { class: "row" }, field, copy),
    h("p", { class: "small" }, "It is shown this once and kept nowhere. This browser is let in already; the link lets in another one. ", copied));
}

ready();
