/** Opens a project with the token behind "#", which the browser has sent to nobody. */

import { byId, ready } from "../core/dom.js";
import { followLinks, tokenInAddress } from "./entering.js";

const here = `rewardlab.came.${location.pathname}`;
if (!tokenInAddress() && !sessionStorage.getItem(here)) {
  // The cookie does not come along from another site's link; it does from this page.
  sessionStorage.setItem(here, "1");
  location.replace(location.pathname);
} else {
  await followLinks(byId("said"));
}
ready();
