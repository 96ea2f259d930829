/** Opens a project with the token behind "#", which the browser has sent to nobody. */

import { byId, ready, say } from "../core/dom.js";
import { enter, tokenInAddress } from "./entering.js";

const token = tokenInAddress();
const here = `rewardlab.came.${location.pathname}`;
if (!token && !sessionStorage.getItem(here)) {
  // The cookie does not come along from another site's link; it does from this page.
  sessionStorage.setItem(here, "1");
  location.replace(location.pathname);
} else if (token) {
  await enter(token).catch((error) => say(byId("said"), error.message));
}
ready();
