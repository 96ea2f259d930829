/** Figures of a table as text. */

import { reading } from "../charts/numbers.js";

/** @param {{columns: string[], rows: any[][], numeric?: boolean[]}} table */
export function tableText(table) {
  const { columns, rows } = table;
  const numeric = table.numeric || columns.map((_, k) => rows.every((row) => typeof row[k] !== "string"));
  return { columns, numeric, rows: rows.map((row) => row.map((cell) => (typeof cell === "string" ? cell : reading(cell)))) };
}
