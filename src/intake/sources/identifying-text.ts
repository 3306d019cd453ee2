import { readTitle } from './alert-state.ts';

/** Longest text (characters) that is compared. Texts beyond it are equal if their beginnings are. */
const MAX_COMPARED = 10_000;

const TIME =
  /\b\d{4}[-/.]\d\d[-/.]\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:z|utc|[+-]\d\d:?\d\d)?)?|(?<![:\w])\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?![:\w])/g;
/** Matches measurements: decimal numbers, numbers with a unit, and times in s or ms since 1970. */
const MEASURED =
  /(?<![\w.-])[+-]?(?:\d+(?:[.,]\d+)?\s?(?:%|percent\b|(?:[kmgt]i?)?b(?:\/s)?\b|ms\b|s\b|sec(?:onds?)?\b|min(?:utes?)?\b|h(?:ours?)?\b|days?\b)|\d+[.,]\d+(?![\w.])|1[5-9]\d{8}(?:\d{3})?\b)/g;
const STATES =
  /\b(?:firing|fired|triggered|re-triggered|alerting|alarm|problem|resolved|recovered|recovery|ok|okay|closed|opened|cleared|critical|warning|warn|error|down|up)\b/g;

/** Returns the part of a text that stays the same while its alert lasts: no state, severity, time or measurement. */
export function identifyingText(text: string): string {
  return readTitle(text.slice(0, MAX_COMPARED))
    .rest.toLowerCase()
    .replace(TIME, ' ')
    .replace(MEASURED, ' ')
    .replace(STATES, ' ')
    .replace(/[\s,;:!()[\]{}"'*_`]+/g, ' ')
    .trim();
}
