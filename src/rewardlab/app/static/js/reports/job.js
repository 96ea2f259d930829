/** The page of an audit that is not done yet; it turns into the report. */

import { boot } from "../core/data.js";
import { byId, ready } from "../core/dom.js";
import { AuditProgress } from "./audit.js";

const progress = new AuditProgress(boot(), () => location.reload());
byId("job").append(progress.element);
ready();
