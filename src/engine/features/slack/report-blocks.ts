import type { StoredClaim } from '../../../db/entities/index.ts';
import type { ClaimKind } from '../../../db/enums.ts';
import { toOneLine } from '../../prompt-text/untrusted.ts';
import type { NewReport } from '../../store/reports.ts';
import { type Block, blockText, formatted, plain, section } from './text.ts';

/**
 * Maximum UTF-16 code units of the parts of a card. Together with the summary they stay below 13,000, because Slack
 * refuses the texts of a message that have more.
 */
const MAX = { headline: 600, field: 400, line: 330 };

/** Claims of one kind that a card shows. */
const MAX_LINES = 5;

const LISTS: readonly [kind: ClaimKind, title: string][] = [
  ['RECOMMENDATION', '*To do*'],
  ['CAUSE', '*Cause*'],
  ['GAP', '*Not known*'],
];

/** Returns the blocks of a report: headline, facts, and its claims with the result of their verification. */
export function reportBlocks(
  report: NewReport,
  { mask, cost }: { mask: (text: string) => string; cost: number | null },
): Block[] {
  const shown = (text: string, max: number) => blockText(toOneLine(mask(text), max * 2), max, '…');
  const headline = shown(report.headline, MAX.headline);
  const lists = LISTS.flatMap(([kind, title]) => {
    const claims = report.claims.filter((claim) => claim.kind === kind);
    if (claims.length === 0) return [];
    const lines = claims
      .slice(0, MAX_LINES)
      .map((claim) => `• ${markOf(claim)}${shown(claim.text, MAX.line)}`);
    const rest = claims.length - MAX_LINES;
    if (rest > 0) lines.push(`… and ${rest} more in the dashboard`);
    return [section(formatted(title)), section(plain(lines.join('\n')))];
  });
  return [
    ...(headline === '' ? [] : [section(plain(headline))]),
    { type: 'section', fields: factsOf(report, cost, shown).map(plain) },
    ...lists,
  ];
}

function factsOf(
  report: NewReport,
  cost: number | null,
  shown: (text: string, max: number) => string,
): string[] {
  const { confidence, entities, claims } = report;
  const checked = claims.filter(({ status }) => status !== 'NOT_CHECKABLE');
  const affected = shown(entities.join(', '), MAX.field);
  return [
    ...(affected === '' ? [] : [`Affected\n${affected}`]),
    `Confidence\n${Math.round(confidence * 100)} %`,
    `Claims\n${checked.filter(isProven).length} of ${checked.length} proven`,
    ...(cost === null ? [] : [`Cost\n$${cost.toFixed(2)}`]),
  ];
}

function isProven({ status, onlyUntrusted }: StoredClaim): boolean {
  return status === 'SUPPORTED' && !onlyUntrusted;
}

/** Returns the result of a claim's verification in words; empty if the claim needs no proof. */
export function markOf(claim: StoredClaim): string {
  if (claim.status === 'NOT_CHECKABLE') return '';
  if (isProven(claim)) return 'Proven: ';
  if (claim.status === 'SUPPORTED') return 'Proven by untrusted sources only: ';
  return claim.status === 'PARTLY_SUPPORTED' ? 'Partly proven: ' : 'Not proven: ';
}
