import type { StoredCitation, StoredClaim } from '../../../db/entities/index.ts';
import { toOneLine } from '../../prompt-text/untrusted.ts';
import type { NewReport } from '../../store/reports.ts';
import { markOf } from './report-blocks.ts';
import { type Block, blockText, escapeText, formatted, plain, section } from './text.ts';

/** Maximum UTF-16 code units of texts; all claims together stay below the limit of a message. */
const MAX = { claim: 300, quote: 200, problem: 200 };
const MAX_CLAIMS = 8;
const MAX_CITATIONS = 2;

/** Returns the claims of a report with their citations, one block per claim: causes first. */
export function claimsMessage(
  report: NewReport,
  { mask, link }: { mask: (text: string) => string; link: string },
): { text: string; blocks: Block[] } {
  const order = ['CAUSE', 'OBSERVATION', 'RULED_OUT'];
  const claims = report.claims
    .filter(({ kind }) => order.includes(kind))
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const shown = (text: string, max: number) => blockText(toOneLine(mask(text), max * 2), max, '…');
  const rest = claims.length - MAX_CLAIMS;
  return {
    text: 'Claims of the report',
    blocks: [
      ...claims.slice(0, MAX_CLAIMS).map((claim) => section(plain(claimText(claim, shown)))),
      ...(claims.length === 0 ? [section(plain('The report has no claims to prove.'))] : []),
      ...(rest > 0 ? [section(plain(`… and ${rest} more in the dashboard`))] : []),
      section(formatted(`<${escapeText(link)}|Open the report>`)),
    ],
  };
}

type Shown = (text: string, max: number) => string;

function claimText(claim: StoredClaim, shown: Shown): string {
  const { text, problem, citations } = claim;
  return [
    `${markOf(claim)}${shown(text, MAX.claim)}`,
    ...(problem === null ? [] : [`Problem: ${shown(problem, MAX.problem)}`]),
    ...citations.slice(0, MAX_CITATIONS).map((citation) => citationText(citation, shown)),
  ].join('\n');
}

function citationText({ source, quote, status, problem }: StoredCitation, shown: Shown): string {
  const place = typeof source === 'number' ? `T${source}` : source;
  const holds = status === 'HOLDS' || problem === null ? '' : ` (${shown(problem, MAX.problem)})`;
  return `${place}: “${shown(quote, MAX.quote)}”${holds}`;
}
