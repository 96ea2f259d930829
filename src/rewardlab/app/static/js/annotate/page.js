/** The pairs of a project, one at a time. */

import { boot, request } from "../core/data.js";
import { byId, h, ready } from "../core/dom.js";

const { project, annotator } = boot();
const { pairs } = await request(`/api/annotate/${project}/next`, { body: { annotator, n: 10 } });
byId("pair").append(...pairs.map((pair) => h("pre", {}, JSON.stringify(pair))));
ready();
