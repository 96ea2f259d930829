/** Opens a project with the token behind "#", which the browser has sent to nobody. */

import { request } from "../core/data.js";
import { byId, ready, say } from "../core/dom.js";

const token = location.hash.slice(1);
const here = `rewardlab.came.${location.pathname}`;
if (!token && !sessionStorage.getItem(here)) {
  // The cookie does not come along from another site's link; it does from this page.
  sessionStorage.setItem(here, "1");
  location.replace(location.pathname);
} else if (token) {
  const path = location.pathname;
  history.replaceState(null, "", path);
  const project = path.split("/")[2];
  try {
    const { role } = await request(`/api/annotate/${project}/enter`, { body: { token } });
    location.replace(role === "admin" ? `/annotate/${project}/admin` : `/annotate/${project}`);
  } catch (error) {
    say(byId("said"), error.message);
  }
}
ready();
