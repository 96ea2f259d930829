/** Formulas: pointing at a part lights up its explanation, and the other way round. */

/** Tie the parts of every formula in a page to their words. */
export function tieTerms() {
  for (const formula of document.querySelectorAll(".formula")) tie(formula);
}

function tie(formula) {
  const parts = [...formula.querySelectorAll("[data-term]")];
  const rows = [...formula.querySelectorAll(".terms > [data-term]")];
  const light = (key) => {
    for (const part of parts) part.classList.toggle("lit", part.getAttribute("data-term") === key);
  };
  const keyOf = (event) => {
    const part = event.target.closest("[data-term]");
    return part ? part.getAttribute("data-term") : null;
  };
  formula.addEventListener("pointerover", (event) => light(keyOf(event)));
  formula.addEventListener("pointerleave", () => light(null));
  formula.addEventListener("focusin", (event) => light(keyOf(event)));
  formula.addEventListener("focusout", () => light(null));
  // One stop of the tab key a formula; arrows go through its rows.
  rows.forEach((row, k) => {
    row.tabIndex = k ? -1 : 0;
    row.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const to = by && rows[k + by];
      if (!to) return;
      event.preventDefault();
      rows.forEach((one) => { one.tabIndex = one === to ? 0 : -1; });
      to.focus();
    });
  });
}
