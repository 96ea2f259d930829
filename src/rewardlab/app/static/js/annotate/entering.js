/** A link's token stands behind "#" in the address, which the browser sends to nobody. */

import { request } from "../core/data.js";
import { say } from "../core/dom.js";

/** The token in the address; "" for none: what links within a page lead to has no dot. */
export function tokenInAddress() {
  const text = location.hash.slice(1);
  return text.includes(".") ? text : "";
}

/**
 * Exchange a token for a cookie and open what it opens; it is gone from the address at once.
 * @param {string} token
 */
export async function enter(token) {
  const path = location.pathname;
  history.replaceState(null, "", path);
  const project = path.split("/")[2];
  const { role } = await request(`/api/annotate/${project}/enter`, { body: { token } });
  location.replace(role === "admin" ? `/annotate/${project}/admin` : `/annotate/${project}`);
}

/**
 * Enter with the token in the address, now and whenever a link is pasted, which loads no page.
 * @param {HTMLElement} element Says why a token opens nothing.
 */
export async function followLinks(element) {
  const open = async () => {
    const token = tokenInAddress();
    if (token) await enter(token).catch((error) => say(element, error.message));
  };
  addEventListener("hashchange", open);
  await open();
}
