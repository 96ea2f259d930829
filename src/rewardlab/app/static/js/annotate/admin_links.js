/** Personal links: made and shown once, listed, revoked. */

import { busyWith } from "../core/busy.js";
import { request } from "../core/data.js";
import { h, say } from "../core/dom.js";

export class Links {
  /** @param {string} address @param {(state: any) => void} renew Shows the state that an answer brings. */
  constructor(address, renew) {
    this.address = address;
    this.renew = renew;
    this.shape = "";
    this.name = h("input", { type: "text", id: "annotator", maxlength: 60, autocomplete: "off", spellcheck: "false", required: true });
    this.button = h("button", { class: "primary" }, "Make a link");
    this.admin = h("button", { type: "button", class: "plain", on: { click: () => this.make(this.admin, { admin: true }) } }, "Link for another admin");
    const form = h("form", { class: "invite", on: { submit: (event) => this.submit(event) } },
      h("label", { for: "annotator" }, "Invite an annotator, by a name of your choice"),
      h("div", { class: "row" }, this.name, this.button));
    this.said = h("p", { class: "small links-said", role: "status" });
    this.fresh = h("div", { class: "fresh", hidden: true });
    this.list = h("ul", { class: "links" });
    this.gone = h("ul", { class: "links" });
    this.revoked = h("details", { hidden: true }, h("summary", {}, "Revoked links"), this.gone);
    this.element = h("div", {}, form, this.fresh, this.said, this.list, this.revoked, this.admin);
  }

  submit(event) {
    event.preventDefault();
    this.make(this.button, { annotator: this.name.value.trim() });
  }

  async make(button, body) {
    await this.act(button, async () => {
      const made = await request(`${this.address}/links`, { body });
      this.showFresh(new URL(made.path, location.href).href, body.annotator);
      this.name.value = "";
      this.renew(made.state);
    });
  }

  async act(button, job) {
    say(this.said, "");
    this.said.classList.remove("error");
    try {
      await busyWith(button, job);
    } catch (error) {
      this.said.classList.add("error");
      say(this.said, error.message);
    }
  }

  /** @param {string} link @param {string|undefined} annotator */
  showFresh(link, annotator) {
    const field = h("input", { type: "text", readonly: true, value: link, id: "fresh-link", on: { focus: () => field.select() } });
    const copied = h("span", { class: "small quiet", role: "status" });
    const copy = h("button", { type: "button", on: { click: () => copyTo(field, copied) } }, "Copy");
    this.fresh.replaceChildren(
      h("label", { for: "fresh-link" }, annotator ? `The link for ${annotator}` : "The link for an admin"),
      h("div", { class: "row" }, field, copy),
      h("p", { class: "small quiet" }, "It is shown this once and kept nowhere. Whoever has it may ",
        annotator ? `label as ${annotator}.` : "do all that you can do here.", " ", copied));
    this.fresh.hidden = false;
    copy.focus();
  }

  /** @param {any[]} links */
  show(links) {
    const shape = JSON.stringify(links);
    if (shape === this.shape) return;
    this.shape = shape;
    const focused = /** @type {any} */ (document.activeElement)?.dataset?.link;
    const live = links.filter((link) => !link.revoked);
    const gone = links.filter((link) => link.revoked);
    this.list.replaceChildren(...live.map((link) => this.row(link)));
    this.gone.replaceChildren(...gone.map((link) => this.row(link)));
    this.revoked.hidden = gone.length === 0;
    if (focused) this.list.querySelector(`[data-link="${focused}"]`)?.focus();
  }

  row(link) {
    const name = link.annotator || "Admin";
    const parts = [`made ${link.made}`, link.seen && `last judged ${link.seen}`, link.revoked && `revoked ${link.revoked}`];
    const revoke = h("button", {
      type: "button", "data-link": link.link, "aria-label": `Revoke the link of ${name}, made ${link.made}`,
      on: { click: () => this.revoke(revoke, link, name), blur: () => calm(revoke) },
    }, "Revoke");
    return h("li", {}, h("div", {}, h("span", { class: "who", dir: "auto" }, name),
      h("span", { class: "small quiet" }, parts.filter(Boolean).join(" · "))), !link.revoked && revoke);
  }

  /** A second press revokes: whoever works with the link is shut out at once. */
  revoke(button, link, name) {
    if (button.dataset.sure === undefined) {
      button.dataset.sure = "";
      button.dataset.name = button.getAttribute("aria-label");
      button.removeAttribute("aria-label");
      button.textContent = "Shut out now?";
      return;
    }
    this.act(button, async () => {
      this.renew(await request(`${this.address}/links/${link.link}/revoke`, { method: "POST" }));
      say(this.said, `The link of ${name} opens nothing any more.`);
      this.name.focus({ preventScroll: true });
    });
  }
}

function calm(button) {
  if (button.dataset.sure === undefined) return;
  delete button.dataset.sure;
  button.setAttribute("aria-label", button.dataset.name);
  button.textContent = "Revoke";
}

async function copyTo(field, said) {
  try {
    await navigator.clipboard.writeText(field.value);
    say(said, "Copied.");
  } catch {
    field.select();
    say(said, "Selected; copy it with your keyboard.");
  }
}
