import { SEVERITIES, type Severity } from '../../db/enums.ts';
import type { Member } from './members.ts';

const WORDS: Readonly<Record<Exclude<Severity, 'UNKNOWN'>, string>> = {
  CRITICAL: 'critical crit fatal disaster emergency emerg panic alert page urgent blocker highest p0 p1 sev0',
  ERROR: 'error err high major severe failure p2 sev1',
  WARNING: 'warning warn medium moderate average minor p3 sev2',
  INFO: 'info information informational notice debug low lowest trivial none p4 p5 sev3 sev4 sev5',
};

const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([severity, words]) =>
    words.split(' ').map((word) => [word, severity as Severity]),
  ),
);

/** Longest text (characters) that is read as a severity; longer texts are prose. */
const MAX_SEVERITY_TEXT = 60;

/**
 * Words that name a severity only if they are the whole text, because in longer texts they have other
 * meanings.
 */
const ONLY_ALONE = new Set(['alert', 'page', 'none']);

/** Returns the severity in a text such as `P1 - Critical`, `sev-2` or `critical,page`; UNKNOWN without a known word. */
export function severityOf(text: string | null | undefined): Severity {
  const written = (text ?? '').trim().toLowerCase();
  const alone = written
    .replace(/^s(\d)$/, 'sev$1')
    .replace(/\bsev(?:erity)?[\s_-]*(\d)\b/g, 'sev$1')
    .replace(/\bp(?:riority)?[\s_-]*(\d)\b/g, 'p$1');
  const severity = BY_WORD.get(alone);
  if (severity !== undefined || written.length > MAX_SEVERITY_TEXT) return severity ?? 'UNKNOWN';
  const words = alone.split(/[^a-z0-9]+/).filter((word) => !ONLY_ALONE.has(word));
  if (words.some((word) => /^(?:no|non|not)$/.test(word))) return 'UNKNOWN';
  const known = words.find((word) => BY_WORD.has(word));
  return known === undefined ? 'UNKNOWN' : BY_WORD.get(known)!;
}

export function worstSeverity(severities: Iterable<Severity>): Severity {
  const ranks = [...severities].map((severity) => SEVERITIES.indexOf(severity));
  return SEVERITIES[Math.min(SEVERITIES.length - 1, ...ranks)]!;
}

/** Normalized names of members that hold a severity, the most reliable first. */
const SEVERITY_NAMES =
  `severity sev severitytext severitylabel alertseverity problemseverity eventseverity priority alertpriority
  level loglevel alertlevel urgency criticality nseverity impact`.split(/\s+/);
const STATE_NAMES = new Set(
  'alerttype action state newstate currentstate servicestate status type conclusion'.split(' '),
);
const NAMES = new Set([...SEVERITY_NAMES, ...STATE_NAMES]);

/**
 * Returns the severity in an alert's named values; UNKNOWN if there is none. The first name in NAMES with a known
 * severity counts. If the alert has several values of that name, the worst severity counts.
 */
export function severityFromMembers(members: readonly Member[]): Severity {
  const byName = Map.groupBy(members, ({ name, within }) => {
    // {"priority": {"summary": "P1"}} means {"priority": "P1"}
    return NAMES.has(name) || !VALUE_NAMES.has(name) ? name : within;
  });
  for (const name of NAMES) {
    const values = (byName.get(name) ?? [])
      .map(({ value }) => value)
      .filter((value) => !STATE_NAMES.has(name) || BAD_STATES.has(value.trim().toLowerCase()));
    const severity = worstSeverity(values.map((value) => severityOfText(value, name)));
    if (severity !== 'UNKNOWN') return severity;
  }
  return 'UNKNOWN';
}

const VALUE_NAMES = new Set(['name', 'summary', 'value', 'label']);
const BAD_STATES = new Set(
  'critical crit fatal disaster emergency error major warning warn minor failure'.split(' '),
);

/**
 * Returns the severity of a member's value. A digit from 1 to 5 alone is a severity only for a priority,
 * where 1 is P1.
 */
function severityOfText(text: string, name: string): Severity {
  const digit = /^\s*([1-5])\s*$/.exec(text)?.[1];
  if (digit === undefined) return severityOf(text);
  return name.includes('priority') ? severityOf(`p${digit}`) : 'UNKNOWN';
}

/** Returns true if the word names a severity by itself, as in `CRITICAL: the disk is full`. */
export function isSeverityWord(word: string): boolean {
  return (
    !/^(?:alert|page|none|s\d)$/i.test(word) && /^[a-z]+-?\d?$/i.test(word) && severityOf(word) !== 'UNKNOWN'
  );
}

const LABELLED =
  /\b(?:severity|priority|urgency|log ?level|level)\b[\s"'*`]*(?:is|of|[:=])?[\s"'*`]*([a-z]+-?\d?)\b/gi;
const UPPER_CASE =
  /(?<![\w./-])(CRITICAL|CRIT|FATAL|EMERG(?:ENCY)?|DISASTER|ERROR|ERR|WARN(?:ING)?|NOTICE|INFO|P[0-5]|SEV-?[0-4])(?![\w/]|-\w)/;
const BRACKETED =
  /[[(<]\s*(critical|crit|fatal|emergency|disaster|error|major|warn(?:ing)?|minor|info|p[0-5]|sev-?[0-4])\s*[\])>|]/i;
const LINE_PREFIX = /^(?:critical|fatal|emergency|disaster|error|warn(?:ing)?)\b\s*[:!-]/im;
const KLOG = /^([EWIF])\d{4} \d\d:\d\d:\d\d/m;
const SYSLOG = /^<(\d{1,3})>/;
const KLOG_LETTERS = { E: 'ERROR', W: 'WARNING', I: 'INFO', F: 'CRITICAL' } as const;

/** Number of first lines in which a severity word counts without a label. */
const FIRST_LINES = 5;

export function severityInProse(text: string): Severity {
  const labelled = [...text.matchAll(LABELLED)].map(([, word]) => severityOfText(word!, 'severity'));
  const severity = labelled.find((each) => each !== 'UNKNOWN');
  if (severity !== undefined) return severity;
  const beginning = text.split('\n', FIRST_LINES).join('\n');
  const number = SYSLOG.exec(beginning)?.[1];
  if (number !== undefined)
    return (['CRITICAL', 'CRITICAL', 'CRITICAL', 'ERROR', 'WARNING'] as const)[Number(number) % 8] ?? 'INFO';
  const letter = KLOG.exec(beginning)?.[1];
  if (letter !== undefined) return KLOG_LETTERS[letter as keyof typeof KLOG_LETTERS];
  const word =
    UPPER_CASE.exec(beginning)?.[1] ?? BRACKETED.exec(beginning)?.[1] ?? LINE_PREFIX.exec(beginning)?.[0];
  return word === undefined ? 'UNKNOWN' : severityOfText(word, 'severity');
}
