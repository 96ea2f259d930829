/** Text as charts write it, in two sizes of the page's scale, and the room that it takes. */

import { colour } from "./theme.js";

/** Sizes in px: `--tiny` and `--small` of the styles. */
export const TINY = 12;
export const SMALL = 14;

/** A font as a canvas takes it. @param {number} size In px. @param {number} [weight] */
export function font(size, weight = 400) {
  return `${weight} ${size}px ${colour("--sans")}`;
}

/** @type {any} */
let pen;

/** Width of a text, in px. @param {string} text @param {string} face As `font` gives it. */
export function textWidth(text, face) {
  pen ||= document.createElement("canvas").getContext("2d");
  pen.font = face;
  return pen.measureText(text).width;
}
