import type { StoredCitation, StoredClaim } from '../../../db/entities/index.ts';
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

/** A word of the API, for people. */
export const statusWords = (status: string): string => status.toLowerCase().replaceAll('_', ' ');

export const severityWords = (severity: Severity | null | undefined): string =>
  severity == null || severity === 'UNKNOWN' ? NOT_KNOWN : severity.toLowerCase();

/** What nobody knows is said so. */
export const NOT_KNOWN = '_not known_';
export const TO_FILL_IN = '_to be filled in_';

/** To the second, in UTC. */
export const time = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Between two moments; the two largest units. */
export function span(from: Date, to: Date): string {
  const seconds = Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${seconds % 60} s`;
  return `${seconds} s`;
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

const MARKS: Readonly<Record<StoredClaim['status'], string>> = {
  SUPPORTED: '✓',
  PARTLY_SUPPORTED: '◐ partly supported:',
  UNSUPPORTED: '✗ unsupported:',
  NOT_CHECKABLE: '·',
};

/** A claim as it is exported. */
export interface PlacedClaim extends StoredClaim {
  /** Its address; those of its citations follow from it. */
  address: string;
}

/**
 * Claims with their addresses.
 * @param page the session's address
 * @param answer index of the stage whose answer claims them; left out: the report does
 */
export const placed = (claims: readonly StoredClaim[], page: string, answer?: number): PlacedClaim[] =>
  claims.map((claim, index) => ({
    ...claim,
    address: `${page}#${answer === undefined ? '' : `answer-${answer}-`}claim-${index + 1}`,
  }));

/** A claim with its mark, links to what it cites, and what is wrong with it. */
export function claimLine({ status, text, citations, problem, address, onlyUntrusted }: PlacedClaim): string {
  const sources = citations.map((citation, at) => `[${nameOf(citation)}](${address}-${at + 1})`);
  const cited = sources.length === 0 ? '' : ` (${sources.join(', ')})`;
  const doubt = [
    ...(onlyUntrusted ? ['It rests on what strangers wrote.'] : []),
    ...(status === 'SUPPORTED' || problem === null ? [] : [problem]),
  ];
  const why = doubt.length === 0 ? '' : ` — ${inline(doubt.join(' '))}`;
  return `${MARKS[status]} ${inline(text)}${cited}${why}`;
}

/** Quotes of a claim, as a list below it. */
export function quoteLines({ citations }: Pick<StoredClaim, 'citations'>): string[] {
  return citations.flatMap((citation) => {
    const said = citation.status === 'HOLDS' ? '' : ' (not found there)';
    const head = `  - ${nameOf(citation)}${said}:`;
    return citation.quote.includes('\n')
      ? [head, '', ...block(citation.quote, '    ')]
      : [`${head} ${code(citation.quote)}`];
  });
}

/** How many characters of a text its beginning lacks. @param text as much of its beginning as is shown */
export function missing({ length }: Pick<CutText, 'length'>, text: string): number {
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0; // two code units, one character
  return Math.max(0, length - (text.length - pairs));
}

/** A source as people know it from the page. */
export function nameOf({ source }: Pick<StoredCitation, 'source'>): string {
  if (typeof source === 'number') return `T${source}`;
  return source === 'ALERT' ? 'alert' : 'runbook';
}

/** A section, or nothing where it has no lines. */
export const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', heading, '', ...lines];
