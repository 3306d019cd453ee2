import type { ReportOutcome } from './contract.ts';
import { sanitizeLine } from './sanitize.ts';
import type { Style } from './style.ts';

const VERDICTS: Readonly<Record<string, string>> = {
  ACTION_REQUIRED: 'Action required',
  ACTION_SUGGESTED: 'Action suggested',
  NO_ACTION: 'No action needed',
  INCONCLUSIVE: 'Inconclusive',
};

const MARKS: Readonly<Record<string, string>> = { SUPPORTED: '✓', PARTLY_SUPPORTED: '~', UNSUPPORTED: '✗' };

const KINDS: Readonly<Record<string, string>> = { RECOMMENDATION: 'To do: ', GAP: 'Not known: ' };

/** What an investigation says: its verdict first, then each claim with how far it is proven. */
export function describeReport(
  { verdict, headline, confidence, claims }: ReportOutcome,
  style: Style,
): string[] {
  const checked = claims.filter(({ status }) => status !== 'NOT_CHECKABLE');
  const proven = checked.filter(({ status }) => status === 'SUPPORTED');
  const figures = `${Math.round(confidence * 100)} % sure · ${proven.length} of ${checked.length} claims proven`;
  return [
    `${style.bold(`── ${VERDICTS[verdict] ?? sanitizeLine(verdict)}`)} ${style.dim(figures)}`,
    sanitizeLine(headline),
    ...claims.flatMap((claim) => describeClaim(claim, style)),
  ];
}

function describeClaim(
  { kind, text, status, problem, citations }: ReportOutcome['claims'][number],
  style: Style,
): string[] {
  const sources = [...new Set(citations.map(({ source }) => sanitizeLine(source)))].join(', ');
  const line = `  ${MARKS[status] ?? '·'} ${KINDS[kind] ?? ''}${sanitizeLine(text)}`;
  const cited = sources === '' ? '' : ` ${style.dim(`[${sources}]`)}`;
  if (status === 'SUPPORTED' || status === 'NOT_CHECKABLE') return [`${line}${cited}`];
  return [
    style.red(line) + cited,
    ...(problem === null ? [] : [style.dim(`      ${sanitizeLine(problem)}`)]),
  ];
}
