/** How many labels there will be once all that waits has arrived; a pair that was skipped is none. */
export function foretold(n_labels, pending) {
  const added = [];
  let n = n_labels;
  for (const event of pending) {
    const change = event.kind === "label" ? Number(event.outcome !== "skip") : event.kind === "auto" ? event.n : event.kind === "clear" ? -n
      : -(added.pop() ?? 1);
    if (event.kind !== "undo") added.push(change);
    n = Math.max(0, n + change);
  }
  return n;
}
