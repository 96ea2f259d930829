/** What annotators are asked to do: read, edited, looked at before it is kept. */

import { busyWith } from "../core/busy.js";
import { request } from "../core/data.js";
import { h, say } from "../core/dom.js";
import { turnsOf } from "./rich.js";

const PAUSE_MS = 400;

export class Guidelines {
  /** @param {string} address @param {{guidelines: string, shown: any}} started */
  constructor(address, { guidelines, shown }) {
    this.address = address;
    this.stored = guidelines;
    this.timer = 0;
    this.text = h("textarea", { id: "guidelines-text", rows: 9, maxlength: 50_000, dir: "auto", on: { input: () => this.changed() } });
    this.text.value = guidelines;
    this.save = h("button", { type: "button", class: "primary", disabled: true, on: { click: () => this.keep() } }, "Save");
    this.said = h("span", { class: "small quiet", role: "status" });
    this.preview = h("div", { class: "preview" });
    this.element = h("div", {},
      h("label", { for: "guidelines-text", class: "small" }, "Markdown; annotators see it before their first pair and whenever they ask"),
      this.text,
      h("p", { class: "row" }, this.save, this.said),
      h("h3", {}, "As they see it"), this.preview);
    this.draw(shown, guidelines);
  }

  changed() {
    this.save.disabled = this.text.value === this.stored;
    say(this.said, this.save.disabled ? "" : "Not saved yet.");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), PAUSE_MS);
  }

  async look() {
    const text = this.text.value;
    try {
      const { nodes } = await request(`${this.address}/preview`, { body: { text } });
      if (text === this.text.value) this.draw(nodes, text);
    } catch (error) {
      say(this.said, error.message);
    }
  }

  /** @param {any} nodes Null where the text shows all there is. @param {string} text */
  draw(nodes, text) {
    if (!text.trim()) this.preview.replaceChildren(h("p", { class: "quiet" }, "No guidelines yet."));
    else this.preview.replaceChildren(...turnsOf([{ role: "", text, nodes }], true));
  }

  async keep() {
    const text = this.text.value;
    try {
      await busyWith(this.save, async () => {
        const { shown } = await request(`${this.address}/guidelines`, { body: { text } });
        this.stored = text;
        if (text === this.text.value) this.draw(shown, text);
      });
      this.save.disabled = this.text.value === this.stored;
      say(this.said, "Saved. Pages that are open show it when they are loaded again.");
    } catch (error) {
      say(this.said, error.message);
    }
  }
}
