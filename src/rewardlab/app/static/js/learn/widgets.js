/** A system's widget inside a lesson; what draws it is only loaded once one is opened. */

import { queryOf } from "../core/address.js";
import { request } from "../core/data.js";
import { say } from "../core/dom.js";
import { arrived, load } from "../core/load.js";

/** Mount a system when its place is opened. @param {any} details */
export function mountOnOpening(details) {
  const name = details.dataset.widget;
  const status = details.querySelector("[role=status]");
  let asked = false;
  details.addEventListener("toggle", async () => {
    if (!details.open || asked) return;
    asked = true;
    say(status, "Loading …");
    try {
      const [{ systemView }, system, first] = await Promise.all([
        arrived(import("../systems/view.js")), request(`/api/systems/${name}`), request(`/api/systems/${name}/result`),
        load("css/charts.css"),
      ]);
      say(status, "");
      details.append(systemView(system, first, (settings, seed) =>
        request(`/api/systems/${name}/result?${queryOf(settings, seed)}`)));
    } catch (error) {
      asked = false;
      say(status, error.message);
    }
  });
}
