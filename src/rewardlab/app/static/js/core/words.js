/** Numbers in sentences. */

/** A number with its thousands apart: "1,718". @param {number} n */
export function grouped(n) {
  return n.toLocaleString("en");
}

/** So many of something: "1 word", "1,718 words". @param {number} n @param {string} one @param {string} [many] */
export function counted(n, one, many = `${one}s`) {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}
