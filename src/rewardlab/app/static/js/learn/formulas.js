/** The page of all formulas. */

import { ready } from "../core/dom.js";
import { tieTerms } from "./terms.js";

tieTerms();
ready();
