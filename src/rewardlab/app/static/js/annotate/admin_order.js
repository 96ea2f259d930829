/** In which order pairs are asked from now on. */

import { busyWith } from "../core/busy.js";
import { request } from "../core/data.js";
import { h, say } from "../core/dom.js";

export class Order {
  /** @param {string} address @param {{now: string, choices: {key: string, label: string, about: string}[]}} order */
  constructor(address, { now, choices }) {
    this.address = address;
    this.now = now;
    this.button = h("button", { type: "button", on: { click: () => this.change() } }, "Put in this order");
    this.said = h("p", { class: "small quiet", role: "status" });
    this.radios = choices.map(({ key }) => h("input", { type: "radio", name: "order", value: key, checked: key === now }));
    const set = h("fieldset", { class: "orders" }, h("legend", { class: "small" }, "Which pairs are asked first. What people have already stays with them."),
      ...choices.map(({ label, about }, k) => h("label", {}, this.radios[k],
        h("span", {}, h("span", { class: "name" }, label), h("span", { class: "small quiet" }, about)))));
    this.element = h("div", {}, set, h("p", { class: "row" }, this.button), this.said);
  }

  async change() {
    const order = this.radios.find((radio) => radio.checked)?.value;
    if (!order) return;
    try {
      await busyWith(this.button, async () => {
        const { sentence } = await request(`${this.address}/order`, { body: { order } });
        say(this.said, sentence);
      });
    } catch (error) {
      say(this.said, error.message);
    }
  }
}
