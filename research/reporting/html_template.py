"""The page of report.html; `$names` are filled in by research.reporting.html."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<link rel="icon" href="data:,">
<style>
$style
</style>
</head>
<body>
<header>
<p class="eyebrow">Is it the activation, or the seed?</p>
$verdicts
<p class="facts">$facts</p>
</header>
<main>
$warnings
<section>
<h2>$table_title</h2>
$table
$table_note
<ul class="findings">$findings</ul>
<p class="note">$held_equal $varied</p>
</section>
$sections
<section>
<h2>Figures</h2>
<div class="figures">$figures</div>
</section>
<section>
<h2>Each arm</h2>
$arms
$arm_note
</section>
$exploratory
<section>
<h2>Method</h2>
<dl class="method">$method</dl>
</section>
<section>
<h2>The run</h2>
<dl class="settings">$settings</dl>
$records
</section>
</main>
<footer>$cost. The numbers lie in <code>results/</code> beside this file:
<code>summary.json</code> holds more than is shown here, <code>per_seed.csv</code> every
seed.</footer>
</body>
</html>
"""

DOCUMENT_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<link rel="icon" href="data:,">
<style>
$style
</style>
</head>
<body>
<header>
<p class="eyebrow">Is it the activation, or the seed?</p>
<h1>$title</h1>
<p class="lede">$lede</p>
<p class="facts">$facts</p>
</header>
<main>
$warnings
$sections
<section>
<h2>Figures</h2>
<div class="figures">$figures</div>
</section>
<section>
<h2>Method</h2>
<dl class="method">$method</dl>
</section>
<section>
<h2>$settings_title</h2>
<dl class="settings">$settings</dl>
$records
</section>
</main>
<footer>$cost. The numbers lie in <code>results/summary.json</code> beside this file.</footer>
</body>
</html>
"""

ARM_NOTE = """<p class="note">Exact zeros: share of hidden outputs that are 0. Dead units:
share of hidden units that are 0 on every validation row. Both are means over seeds. Times
are of this machine and of this run.</p>"""

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d1d1f; --muted: #5d5d63;
  --line: #e0ddd5; --better: #176b3a; --worse: #a5281b; --equivalent: #1d5f8a;
  --undecided: #7a5600; --tint: #f1eee6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16171a; --card: #1e2024; --ink: #ececee; --muted: #a9abb3;
    --line: #34363c; --better: #6fd39a; --worse: #ff9a8c; --equivalent: #86c5ee;
    --undecided: #e8c06a; --tint: #24262b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue",
    "DejaVu Sans", sans-serif;
  -webkit-text-size-adjust: 100%;
}
header, main, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 3rem; }
.eyebrow { margin: 0 0 .75rem; color: var(--muted); letter-spacing: .02em; }
h1 {
  margin: 0 0 .6rem; max-width: 26ch; font-size: clamp(1.9rem, 5.2vw, 3.1rem);
  line-height: 1.12; letter-spacing: -.02em; font-weight: 700; text-wrap: balance;
  overflow-wrap: anywhere;
}
.lede {
  margin: 0 0 1rem; max-width: 60ch; font-size: clamp(1.05rem, 2.2vw, 1.25rem);
  overflow-wrap: anywhere;
}
ul.verdicts { list-style: none; margin: 0 0 1.25rem; padding: 0; }
ul.verdicts li {
  padding: .7rem 0 .7rem 1rem; border-left: .3rem solid var(--tone); margin: .6rem 0;
  max-width: 62ch; overflow-wrap: anywhere;
}
ul.verdicts strong { display: block; font-size: 1.2rem; color: var(--tone); }
.better { --tone: var(--better); } .worse { --tone: var(--worse); }
.equivalent { --tone: var(--equivalent); } .undecided { --tone: var(--undecided); }
h1.better, h1.worse, h1.equivalent, h1.undecided { color: var(--tone); }
.facts {
  margin: 1.25rem 0 0; padding: .75rem 0; color: var(--muted); font-size: .95rem;
  border-top: 1px solid var(--line); border-bottom: 1px solid var(--line);
}
section { margin: 2.75rem 0; }
a { color: var(--equivalent); }
h2 { margin: 0 0 1rem; font-size: 1.35rem; letter-spacing: -.01em; }
h3 { margin: 0 0 .35rem; font-size: 1.02rem; }
.scroll { overflow-x: auto; }
table {
  width: 100%; border-collapse: collapse; background: var(--card);
  font-variant-numeric: tabular-nums; border: 1px solid var(--line);
}
th, td {
  padding: .6rem .8rem; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top;
}
tr:last-child > * { border-bottom: 0; }
thead th { font-size: .85rem; font-weight: 600; color: var(--muted); vertical-align: bottom; }
th:first-child { text-align: left; }
tbody th { font-weight: 600; overflow-wrap: break-word; }
tbody th.arm { position: relative; padding-left: 1.9rem; }
thead th.verdict { text-align: left; }
tbody td { white-space: nowrap; }
tbody td.text { white-space: normal; min-width: 9rem; }
td.verdict {
  text-align: left; white-space: nowrap; font-weight: 700; color: var(--tone, inherit);
}
.swatch {
  position: absolute; left: .75rem; top: 1.02em; width: .75em; height: .75em;
  border-radius: 50%; border: 1px solid var(--line);
}
ul.findings { margin: 1.25rem 0 0; padding-left: 1.1rem; max-width: 72ch; }
ul.findings li { margin: .45rem 0; overflow-wrap: anywhere; }
.note { max-width: 72ch; color: var(--muted); font-size: .95rem; }
.warnings {
  margin: 2rem 0 0; padding: .9rem 1.1rem; background: var(--tint);
  border-left: .3rem solid var(--undecided);
}
.warnings h2 { font-size: 1.05rem; margin: 0 0 .4rem; }
.warnings ul { margin: 0; padding-left: 1.1rem; overflow-wrap: anywhere; }
.figures {
  display: grid; gap: 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
}
.within { grid-template-columns: minmax(0, 1fr); margin-top: 1.25rem; }
.within figure:not(.wide) { max-width: 40rem; }
figure {
  margin: 0; background: var(--card); border: 1px solid var(--line);
  display: flex; flex-direction: column;
}
figure.wide { grid-column: 1 / -1; }
figure .plot { background: #fff; padding: .75rem; text-align: center; }
figure img { max-width: 100%; height: auto; display: block; margin: 0 auto; }
figcaption {
  padding: .9rem 1.1rem 1rem; font-size: .92rem; color: var(--muted);
  border-top: 1px solid var(--line); flex: 1;
}
figcaption h3 { color: var(--ink); }
figcaption p { margin: 0; max-width: 75ch; }
dl { margin: 0; }
dl.method dt { font-weight: 600; margin-top: .9rem; }
dl.method dd { margin: .15rem 0 0; max-width: 75ch; color: var(--ink); }
dl.settings {
  display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .35rem 1.25rem;
}
dl.settings dt { color: var(--muted); }
dl.settings dd { margin: 0; overflow-wrap: anywhere; }
details { margin: 1rem 0; border: 1px solid var(--line); background: var(--card); }
summary { padding: .7rem 1rem; cursor: pointer; font-weight: 600; }
summary:focus-visible { outline: 2px solid var(--equivalent); outline-offset: 2px; }
pre {
  margin: 0; padding: 1rem; overflow-x: auto; font-size: .85rem; line-height: 1.45;
  border-top: 1px solid var(--line);
}
footer {
  padding-top: 1.5rem; padding-bottom: 3rem; color: var(--muted); font-size: .92rem;
}
@media (max-width: 46rem) {
  header { padding-top: 1.75rem; }
  table.stack, table.stack tbody, table.stack tr, table.stack td, table.stack th {
    display: block; width: 100%;
  }
  table.stack { border: 0; background: none; }
  table.stack tbody th { overflow-wrap: anywhere; }
  /* Many panels shrunk to a phone cannot be read: they scroll. */
  figure.wide .plot { overflow-x: auto; }
  figure.wide img { max-width: none; width: 44rem; }
  table.stack thead { position: absolute; left: -999rem; }
  table.stack tr {
    margin: 0 0 1rem; background: var(--card); border: 1px solid var(--line);
  }
  table.stack tbody th { font-size: 1.05rem; background: var(--tint); }
  table.stack td {
    display: flex; justify-content: space-between; gap: 1rem; text-align: right;
    border-bottom: 1px solid var(--line);
  }
  table.stack tr > :last-child { border-bottom: 0; }
  table.stack tbody td { white-space: normal; }
  table.stack td::before {
    content: attr(data-label); color: var(--muted); font-weight: 400; text-align: left;
  }
  table.stack td.absent { display: none; }
  dl.settings { grid-template-columns: 1fr; gap: 0; }
  dl.settings dd { margin-bottom: .5rem; }
}
@media print { details { display: none; } body { background: #fff; } }
"""
