"""The colours and strokes of all figures.

Blue is the reward (proxy), orange the real goal (gold): told apart by every common form of colour
blindness, and always by a dash or a marker as well. Text takes the colour of the page.
"""

from __future__ import annotations

NARROW = 480.0
"""Figures drawn narrower than this put names and legends above their marks, not beside them."""

FIGURE_CSS = """
.rl-figure{--rl-proxy:#0a5fb4;--rl-gold:#b84a00;--rl-other:#5b6470;--rl-grid:#dfe3e8;
--rl-axis:#8a929c;--rl-band:#5b647024;--rl-quiet:#565e69;--rl-ground:#fff;--rl-text:#1b2026;
color:var(--rl-text);display:block;width:100%;height:auto;overflow:visible;
font:13px/1.3 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.rl-figure{--rl-proxy:#6db3f8;--rl-gold:#ff9d57;
--rl-other:#a3acb8;--rl-grid:#30363e;--rl-axis:#7a838e;--rl-band:#a3acb830;--rl-quiet:#a7b0bb;
--rl-ground:#14171b;--rl-text:#e4e8ed}}
@media print{.rl-figure{--rl-proxy:#0a5fb4;--rl-gold:#b84a00;--rl-other:#5b6470;--rl-grid:#dfe3e8;
--rl-axis:#8a929c;--rl-band:#5b647024;--rl-quiet:#565e69;--rl-ground:#fff;--rl-text:#1b2026}}
.rl-figure text{fill:currentColor;font-size:13px}
.rl-figure .rl-quiet{fill:var(--rl-quiet);font-size:12px}
.rl-figure .rl-head{fill:currentColor;font-weight:600}
.rl-figure .rl-grid{stroke:var(--rl-grid);stroke-width:1}
.rl-figure .rl-axis{stroke:var(--rl-axis);stroke-width:1}
.rl-figure .rl-reference{stroke:var(--rl-axis);stroke-width:1.25;stroke-dasharray:2 3}
.rl-figure .rl-halo{paint-order:stroke;stroke:var(--rl-ground);stroke-width:4px;
stroke-linejoin:round}
.rl-figure .rl-track{fill:none;stroke:var(--rl-grid)}
.rl-figure .rl-empty{fill:none;stroke:var(--rl-axis);stroke-dasharray:4 4}
.rl-figure .rl-area{fill:var(--rl-band);stroke:none}
.rl-figure .rl-area-edge{fill:none;stroke:var(--rl-axis);stroke-width:1}
.rl-figure path.rl-proxy,.rl-figure line.rl-proxy{fill:none;stroke:var(--rl-proxy)}
.rl-figure path.rl-gold,.rl-figure line.rl-gold{fill:none;stroke:var(--rl-gold)}
.rl-figure path.rl-other,.rl-figure line.rl-other{fill:none;stroke:var(--rl-other)}
.rl-figure path.rl-line{stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}
.rl-figure path.rl-dashed{stroke-dasharray:7 5}
.rl-figure path.rl-dotted{stroke-dasharray:1.5 5}
.rl-figure line.rl-whisker{stroke-width:2;stroke-linecap:round}
.rl-figure line.rl-thread{stroke-width:1}
.rl-figure path.rl-arrow{stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.rl-figure .rl-ribbon{stroke:none;opacity:.16}
.rl-figure .rl-ribbon.rl-proxy{fill:var(--rl-proxy);stroke:none}
.rl-figure .rl-ribbon.rl-gold{fill:var(--rl-gold);stroke:none}
.rl-figure .rl-ribbon.rl-other{fill:var(--rl-other);stroke:none}
.rl-figure .rl-dot{stroke-width:2}
.rl-figure .rl-dot.rl-proxy{fill:var(--rl-proxy);stroke:var(--rl-proxy)}
.rl-figure .rl-dot.rl-gold{fill:var(--rl-gold);stroke:var(--rl-gold)}
.rl-figure .rl-dot.rl-other{fill:var(--rl-other);stroke:var(--rl-other)}
.rl-figure .rl-dot.rl-hollow{fill:var(--rl-ground)}
.rl-figure .rl-bar{stroke:none;opacity:.85}
.rl-figure .rl-bar.rl-proxy{fill:var(--rl-proxy)}
.rl-figure .rl-bar.rl-gold{fill:var(--rl-gold)}
.rl-figure .rl-bar.rl-other{fill:var(--rl-other)}
.rl-figure line.rl-over{stroke:currentColor;stroke-width:1.5}
.rl-figure text.rl-proxy{fill:var(--rl-proxy);font-weight:600}
.rl-figure text.rl-gold{fill:var(--rl-gold);font-weight:600}
.rl-figure text.rl-other{fill:var(--rl-other);font-weight:600}
""".strip()
