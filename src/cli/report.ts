import { factText, otherProblems } from '../common/fact-text.ts';
import { sanitizeLine } from '../common/printable.ts';
import type { ReportOutcome } from './contract.ts';
import type { Style } from './style.ts';

const VERDICTS: Readonly<Record<string, string>> = {
  ACTION_REQUIRED: 'Action required',
  ACTION_SUGGESTED: 'Action suggested',
  NO_ACTION: 'No action needed',
  INCONCLUSIVE: 'Inconclusive',
};

const MARKS: Readonly<Record<string, string>> = { SUPPORTED: '✓', PARTLY_SUPPORTED: '~', UNSUPPORTED: '✗' };

const KINDS: Readonly<Record<string, string>> = { RECOMMENDATION: 'To do: ', GAP: 'Not known: ' };

/** Returns the lines of a report: the verdict, then each claim. */
export function describeReport(
  { verdict, headline, confidence, claims }: ReportOutcome,
  style: Style,
): string[] {
  const checked = claims.filter(({ status }) => status !== 'NOT_CHECKABLE');
  const proven = checked.filter(({ status, onlyUntrusted }) => status === 'SUPPORTED' && !onlyUntrusted);
  const figures = `confidence ${Math.round(confidence * 100)} % · ${proven.length} of ${checked.length} claims proven`;
  return [
    `${style.bold(`── ${VERDICTS[verdict] ?? sanitizeLine(verdict)}`)} ${style.dim(figures)}`,
    sanitizeLine(headline),
    ...claims.flatMap((claim) => describeClaim(claim, style)),
  ];
}

function describeClaim(
  { kind, text, status, problem, onlyUntrusted, citations, facts }: ReportOutcome['claims'][number],
  style: Style,
): string[] {
  const sources = [...new Set(citations.map(({ source }) => sanitizeLine(source)))].join(', ');
  const mark = onlyUntrusted && status === 'SUPPORTED' ? '~' : (MARKS[status] ?? '·');
  const line = `  ${mark} ${KINDS[kind] ?? ''}${sanitizeLine(text)}`;
  const cited = sources === '' ? '' : ` ${style.dim(`[${sources}]`)}`;
  const proof = facts.flatMap((fact) => [
    style.dim(`      ${MARKS[fact.status] ?? '·'} ${sanitizeLine(factText(fact))}`),
    ...(fact.problem === null ? [] : [style.dim(`        ${sanitizeLine(fact.problem)}`)]),
  ]);
  const doubts = [
    otherProblems(problem, facts),
    onlyUntrusted ? 'Based on untrusted results only.' : null,
  ].filter((doubt) => doubt !== null);
  if (status === 'NOT_CHECKABLE' || (status === 'SUPPORTED' && doubts.length === 0))
    return [`${line}${cited}`, ...proof];
  return [
    ...[style.red(line) + cited, ...proof],
    ...doubts.map((doubt) => style.dim(`      ${sanitizeLine(doubt)}`)),
  ];
}
