import { SEVERITIES, type Severity } from '../../db/enums.ts';
import type { Member } from './members.ts';

const WORDS: Readonly<Record<Exclude<Severity, 'UNKNOWN'>, readonly string[]>> = {
  CRITICAL: ['critical', 'crit', 'fatal', 'disaster', 'emergency', 'alert', 'page', 'p1', 'sev0'],
  ERROR: ['error', 'err', 'high', 'major', 'p2', 'sev1'],
  WARNING: ['warning', 'warn', 'medium', 'average', 'minor', 'p3', 'sev2'],
  INFO: 'info information informational notice debug low none p4 p5 sev3 sev4'.split(' '),
};

const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([severity, words]) => words.map((word) => [word, severity as Severity])),
);

/** Returns the severity that a source's word means, ignoring case; UNKNOWN for other words. */
export function severityOf(word: string | null | undefined): Severity {
  return BY_WORD.get(word?.trim().toLowerCase() ?? '') ?? 'UNKNOWN';
}

export function worstSeverity(severities: Iterable<Severity>): Severity {
  const ranks = [...severities].map((severity) => SEVERITIES.indexOf(severity));
  return SEVERITIES[Math.min(SEVERITIES.length - 1, ...ranks)]!;
}

/** Normalized names of members that hold a severity, the best first, and of states that may name a severity. */
const SEVERITY_NAMES =
  `severity sev severitytext severitylabel alertseverity problemseverity eventseverity priority alertpriority
  level loglevel alertlevel urgency criticality nseverity impact`.split(/\s+/);
const STATE_NAMES = new Set(
  'alerttype action state newstate currentstate servicestate status type conclusion'.split(' '),
);
const NAMES = new Set([...SEVERITY_NAMES, ...STATE_NAMES]);

/** Returns the severity of the first of NAMES that has a known severity; the worst of several values. */
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

/** Returns the first severity in texts such as "P1 - Critical" and "Sev-2"; digits alone count for a priority. */
function severityOfText(text: string, name: string): Severity {
  const word = text.trim().toLowerCase();
  const whole = severityOf(word.replace(/^(sev|p)[\s-]?(\d)$/, '$1$2'));
  if (whole !== 'UNKNOWN' || word.length > 60) return whole;
  if (/^[1-5]$/.test(word)) return name.includes('priority') ? severityOf(`p${word}`) : 'UNKNOWN';
  if (word === 'failure') return 'ERROR';
  const words = word.split(/[^a-z0-9]+/).filter((part) => part !== 'alert' && part !== 'page');
  return words.map(severityOf).find((severity) => severity !== 'UNKNOWN') ?? 'UNKNOWN';
}

/** Returns true if the word names a severity by itself, as in `CRITICAL: the disk is full`. */
export function isSeverityWord(word: string): boolean {
  return severityOf(word.replace(/^sev-/i, 'sev')) !== 'UNKNOWN' && !/^(?:alert|page|none)$/i.test(word);
}

const LABELLED =
  /\b(?:severity|priority|urgency|log ?level|level)\b[\s"'*`]*(?:is|of|[:=])?[\s"'*`]*([a-z]+-?\d?)\b/gi;
const UPPER_CASE =
  /(?<![\w./-])(CRITICAL|CRIT|FATAL|EMERG(?:ENCY)?|DISASTER|ERROR|ERR|WARN(?:ING)?|NOTICE|INFO|P[1-5]|SEV-?[0-4])(?![\w/]|-\w)/;
const BRACKETED =
  /[[(<]\s*(critical|crit|fatal|emergency|disaster|error|major|warn(?:ing)?|minor|info|p[1-5]|sev-?[0-4])\s*[\])>|]/i;
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
  return word === undefined ? 'UNKNOWN' : severityOfText(word.replace(/^EMERG$/, 'emergency'), 'severity');
}
