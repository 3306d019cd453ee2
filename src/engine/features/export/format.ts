import { factText, otherProblems } from '../../../common/fact-text.ts';
import type { StoredCitation, StoredClaim, StoredFact } from '../../../db/entities/index.ts';
import type { QualityRating, Severity, Verdict } from '../../../db/enums.ts';
import { block, code, inline } from './markdown-text.ts';
import type { CutText } from './source.ts';

export const VERDICTS: Readonly<Record<Verdict, string>> = {
  ACTION_REQUIRED: 'Action required',
  ACTION_SUGGESTED: 'Action suggested',
  NO_ACTION: 'No action needed',
  INCONCLUSIVE: 'Inconclusive',
};

export const RATINGS: Readonly<Record<QualityRating, string>> = {
  ACCURATE: 'right',
  PARTIALLY_ACCURATE: 'partly right',
  INACCURATE: 'wrong',
};

export const statusWords = (status: string): string => status.toLowerCase().replaceAll('_', ' ');

export const severityWords = (severity: Severity | null | undefined): string =>
  severity == null || severity === 'UNKNOWN' ? NOT_KNOWN : severity.toLowerCase();

export const NOT_KNOWN = '_unknown_';
export const TO_FILL_IN = '_to be filled in_';

export const formatTime = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Formats the time between two dates in its two largest units. */
export function formatDuration(from: Date, to: Date): string {
  const seconds = Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${seconds % 60} s`;
  return `${seconds} s`;
}

export const formatPercent = (share: number): string => `${Math.round(share * 100)} %`;

const MARKS: Readonly<Record<StoredClaim['status'], string>> = {
  SUPPORTED: '✓',
  PARTLY_SUPPORTED: '◐ partly supported:',
  UNSUPPORTED: '✗ unsupported:',
  NOT_CHECKABLE: '·',
};

export interface LinkedClaim extends StoredClaim {
  /** URL of the claim in the dashboard, and prefix of its citations' URLs. */
  address: string;
}

/** Adds each claim's URL. @param answer stage index of the answer to a question; omitted for the report's claims */
export const linkClaims = (claims: readonly StoredClaim[], page: string, answer?: number): LinkedClaim[] =>
  claims.map((claim, index) => ({
    ...claim,
    address: `${page}#${answer === undefined ? '' : `answer-${answer}-`}claim-${index + 1}`,
  }));

export function claimLine({ status, text, citations, facts = [], address, ...claim }: LinkedClaim): string {
  const problem = otherProblems(claim.problem, facts);
  const sources = citations.map((citation, at) => `[${sourceName(citation)}](${address}-${at + 1})`);
  const cited = sources.length === 0 ? '' : ` (${sources.join(', ')})`;
  const doubt = [
    ...(claim.onlyUntrusted ? ['All evidence comes from untrusted tools.'] : []),
    ...(status === 'SUPPORTED' || problem === null ? [] : [problem]),
  ];
  const why = doubt.length === 0 ? '' : ` — ${inline(doubt.join(' '))}`;
  return `${MARKS[status]} ${inline(text)}${cited}${why}`;
}

/** Returns the facts of a claim or hypothesis, each with its problem, then its quotes. */
export function proofLines({ facts = [], citations }: Pick<StoredClaim, 'facts' | 'citations'>): string[] {
  return [...facts.map((fact) => factLine(fact, citations)), ...quoteLines(citations)];
}

function factLine(fact: StoredFact, citations: readonly StoredCitation[]): string {
  const citation = citations[fact.citation];
  const source = citation === undefined ? '' : ` (${sourceName(citation)})`;
  const why = fact.problem === null ? '' : ` — ${inline(fact.problem)}`;
  return `  - ${FACT_MARKS[fact.status]} ${inline(factText(fact))}${source}${why}`;
}

const FACT_MARKS: typeof MARKS = { ...MARKS, PARTLY_SUPPORTED: '◐', UNSUPPORTED: '✗' };

function quoteLines(citations: readonly StoredCitation[]): string[] {
  return citations.flatMap((citation) => {
    const said = citation.status === 'HOLDS' ? '' : ' (not found)';
    const head = `  - ${sourceName(citation)}${said}:`;
    return citation.quote.includes('\n')
      ? [head, '', ...block(citation.quote, '    ')]
      : [`${head} ${code(citation.quote)}`];
  });
}

/** Returns how many characters of a stored text are not shown. @param shown the beginning that is shown */
export function missingCharacters({ length }: Pick<CutText, 'length'>, shown: string): number {
  const pairs = shown.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0; // a surrogate pair is one character
  return Math.max(0, length - (shown.length - pairs));
}

export function sourceName({ source }: Pick<StoredCitation, 'source'>): string {
  if (typeof source === 'number') return `T${source}`;
  return source === 'ALERT' ? 'alert' : 'runbook';
}

export const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', heading, '', ...lines];
