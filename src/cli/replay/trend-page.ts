import type { Results } from './results.ts';
import {
  type CaseOutcome,
  confidenceInterval,
  formatCost,
  formatDuration,
  outcomesOf,
  providerName,
} from './summary.ts';

/** A run whose results are in the folder. */
export interface NightlyRun {
  /** Start of the run, ISO 8601 in UTC. */
  at: string;
  results: Results;
}

/** Numbers of the newest runs in the chart and in the table. */
const CHART_RUNS = 60;
const TABLE_RUNS = 14;
/** Size of the chart (CSS pixels). */
const CHART = { width: 720, height: 180, left: 44, right: 12, top: 12, bottom: 28 };
const COLORS = ['#2f6fde', '#b8531a', '#2c8a4b', '#8a4fc0', '#a08000', '#c03a6b'];

interface Night {
  at: string;
  outcomes: CaseOutcome[];
}

/** Renders runs, oldest first, as a page without scripts and without files of its own. Every text is escaped. */
export function renderTrendPage(runs: readonly NightlyRun[], atLeast: number): string {
  const nights = runs.map(({ at, results }) => ({ at, outcomes: outcomesOf(results, atLeast) }));
  const providers = [...new Set(nights.flatMap(({ outcomes }) => outcomes.map(({ provider }) => provider)))];
  const last = nights.at(-1);
  const body =
    last === undefined
      ? '<p>No run has been made.</p>'
      : [
          `<p>Newest of ${runs.length} runs: ${html(readable(last.at))}</p>`,
          section('Newest run', totals(last, nights.at(-2), providers)),
          section('Share of replays that passed', chart(nights.slice(-CHART_RUNS), providers)),
          section('Cases, newest run first', table(nights.slice(-TABLE_RUNS).reverse(), last)),
          section('Failures of the newest run', failures(last)),
        ].join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Replays of cases</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Replays of cases</h1>
${body}
</body>
</html>
`;
}

const section = (title: string, content: string) => `<section><h2>${title}</h2>${content}</section>`;

/** Escapes text for HTML, also in attributes. */
function html(text: string): string {
  const escapes: Record<string, string> = {
    ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  };
  return text.replace(/[&<>"']/g, (character) => escapes[character]!);
}

const readable = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
const percent = (share: number) => `${Math.round(100 * share)} %`;

interface Rate {
  passed: number;
  decided: number;
}

function rateOf(outcomes: readonly CaseOutcome[], provider: string | null): Rate {
  const own = outcomes.filter((one) => one.provider === provider);
  const passed = own.reduce((sum, one) => sum + one.passed, 0);
  return { passed, decided: passed + own.reduce((sum, one) => sum + one.failed, 0) };
}

function totals(last: Night, before: Night | undefined, providers: readonly (string | null)[]): string {
  const rows = providers.map((provider) => {
    const own = last.outcomes.filter((one) => one.provider === provider);
    const { passed, decided } = rateOf(last.outcomes, provider);
    const earlier = before && rateOf(before.outcomes, provider);
    const [low, high] = confidenceInterval(passed, decided);
    const change =
      earlier && earlier.decided > 0 && decided > 0
        ? Math.round(100 * (passed / decided - earlier.passed / earlier.decided))
        : null;
    const wrong = own.reduce((sum, one) => sum + one.confidentlyWrong, 0);
    return [
      html(providerName(provider)),
      decided === 0 ? 'none decided' : `${passed} of ${decided} (${percent(passed / decided)})`,
      decided === 0 ? '' : `${percent(low)} to ${percent(high)}`,
      change === null ? '' : `${change > 0 ? '+' : ''}${change} points`,
      wrong === 0 ? '0' : `<strong class="failed">${wrong}</strong>`,
      formatCost(meanOf(own.map(({ costUsd }) => costUsd))),
      formatDuration(meanOf(own.map(({ durationMs }) => durationMs))),
    ];
  });
  return tableOf(
    ['provider', 'passed', '95 % interval', 'change', 'confidently wrong', 'cost', 'time'],
    rows,
  );
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) =>
    row.map((cell, at) => (at === 0 ? `<th scope="row">${cell}</th>` : `<td>${cell}</td>`)).join('');
  const titles = head.map((title) => `<th scope="col">${title}</th>`).join('');
  return `<div class="wide"><table><thead><tr>${titles}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table></div>`;
}

function chart(nights: readonly Night[], providers: readonly (string | null)[]): string {
  const { width, height, left, right, top, bottom } = CHART;
  const x = (at: number) =>
    left + (nights.length === 1 ? 0.5 : at / (nights.length - 1)) * (width - left - right);
  const y = (share: number) => top + (1 - share) * (height - top - bottom);
  const grid = [0, 0.5, 1].map(
    (share) =>
      `<line x1="${left}" x2="${width - right}" y1="${y(share)}" y2="${y(share)}" class="grid"/><text x="${left - 6}" y="${y(share) + 4}" text-anchor="end">${percent(share)}</text>`,
  );
  const dates = [...new Set([0, nights.length - 1])].map((at) => {
    const anchor = nights.length === 1 ? 'middle' : at === 0 ? 'start' : 'end';
    return `<text x="${x(at)}" y="${height - 8}" text-anchor="${anchor}">${html(nights[at]!.at.slice(0, 10))}</text>`;
  });
  const lines = providers.map((provider, index) => {
    const color = COLORS[index % COLORS.length]!;
    const points = nights.flatMap(({ at, outcomes }, night) => {
      const { passed, decided } = rateOf(outcomes, provider);
      const label = `${providerName(provider)}, ${readable(at)}: ${passed} of ${decided}`;
      return decided === 0 ? [] : [{ x: x(night).toFixed(1), y: y(passed / decided).toFixed(1), label }];
    });
    const path = points.map((point) => `${point.x},${point.y}`).join(' ');
    const dots = points.map(
      (point) =>
        `<circle cx="${point.x}" cy="${point.y}" r="3.5" fill="${color}"><title>${html(point.label)}</title></circle>`,
    );
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}`;
  });
  const legend = providers
    .map(
      (provider, index) =>
        `<span><i style="background:${COLORS[index % COLORS.length]!}"></i>${html(providerName(provider))}</span>`,
    )
    .join('');
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Share of replays that passed, by run">${[...grid, ...dates, ...lines].join('')}</svg><p class="legend">${legend}</p>`;
}

const MARKS = { PASSED: '✓', FAILED: '✗', INCONCLUSIVE: '?' } as const;

function table(nights: readonly Night[], last: Night): string {
  const rows = last.outcomes.map(({ case: name, provider }) => [
    `${html(name)} <small>${html(providerName(provider))}</small>`,
    ...nights.map(({ outcomes }) => {
      const one = outcomes.find((other) => other.case === name && other.provider === provider);
      if (one === undefined) return '';
      const title = one.problems.map((problem) => `${problem.name}: ${problem.detail}`).join('; ');
      const wrong = one.confidentlyWrong > 0 ? ' !' : '';
      return `<span class="${one.outcome.toLowerCase()}" title="${html(title)}">${MARKS[one.outcome]} ${one.passed}/${one.runs}${wrong}</span>`;
    }),
  ]);
  return `${tableOf(['case', ...nights.map(({ at }) => html(at.slice(5, 16).replace('T', ' ')))], rows)}<p><small>✓ passed, ✗ failed, ? inconclusive or not run, ! confidently wrong; then the runs that passed.</small></p>`;
}

function failures({ outcomes }: Night): string {
  const failed = outcomes.filter(({ problems }) => problems.length > 0);
  if (failed.length === 0) return '<p>Nothing.</p>';
  const items = failed.map(({ case: name, provider, problems }) => {
    const details = problems.map((problem) => `${problem.name}: ${problem.detail}`).join('; ');
    return `<li><strong>${html(name)}</strong> (${html(providerName(provider))}): ${html(details)}</li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

const STYLE = `
:root{color-scheme:light dark;--line:#d5d9e0;--text:#1c2330;--back:#fff;--pass:#1d7a3c;--fail:#b3261e;--open:#6b5d00}
@media (prefers-color-scheme:dark){:root{--line:#3a4250;--text:#e6e9ef;--back:#14181f;--pass:#6fd08c;--fail:#ff8a80;--open:#e2c95b}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);max-width:1100px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}
.wide{overflow-x:auto}table{border-collapse:collapse}
th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);white-space:nowrap;font-weight:normal}
thead th{font-size:.85rem}small{opacity:.75}
svg{width:100%;max-width:${CHART.width}px;height:auto}svg text{font-size:11px;fill:var(--text)}.grid{stroke:var(--line)}
.legend span{margin-right:1.2rem}.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:50%;margin-right:.4rem}
.passed{color:var(--pass)}.failed{color:var(--fail)}.inconclusive{color:var(--open)}
`;
