import { SEVERITIES, type Severity } from '../../db/enums.ts';
import type { Member } from './members.ts';

const WORDS: Readonly<Record<Exclude<Severity, 'UNKNOWN'>, readonly string[]>> = {
  CRITICAL: ['critical', 'crit', 'fatal', 'disaster', 'emergency', 'alert', 'page', 'p1', 'sev0'],
  ERROR: ['error', 'err', 'high', 'major', 'p2', 'sev1'],
  WARNING: ['warning', 'warn', 'medium', 'average', 'minor', 'p3', 'sev2'],
  INFO: [
    'info',
    'information',
    'informational',
    'notice',
    'debug',
    'low',
    'none',
    'p4',
    'p5',
    'sev3',
    'sev4',
  ],
};

const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([severity, words]) => words.map((word) => [word, severity as Severity])),
);

/** The severity that a source's word stands for, whatever its case. */
export function severityOf(word: string | null | undefined): Severity {
  return BY_WORD.get(word?.trim().toLowerCase() ?? '') ?? 'UNKNOWN';
}

/** The worst of several; UNKNOWN of none. */
export function worstSeverity(severities: Iterable<Severity>): Severity {
  const ranks = [...severities].map((severity) => SEVERITIES.indexOf(severity));
  return SEVERITIES[Math.min(SEVERITIES.length - 1, ...ranks)]!;
}

/** Names of what says how bad it is; then of states, whose words may say it. */
const NAMES =
  `severity sev severitytext severitylabel alertseverity problemseverity eventseverity priority alertpriority
  level loglevel alertlevel urgency criticality nseverity impact`.split(/\s+/);
const STATES = new Set(
  'alerttype action state newstate currentstate servicestate status type conclusion'.split(' '),
);
const SAYING = new Set([...NAMES, ...STATES]);

/** What members say of it: of the first name that is understood the worst. */
export function severityFromMembers(members: readonly Member[]): Severity {
  const said = new Map<string, string[]>();
  for (const { name, within, value } of members) {
    // {"priority": {"summary": "P1"}} says the same as {"priority": "P1"}
    const key = SAYING.has(name) ? name : VALUES.has(name) && SAYING.has(within) ? within : null;
    if (key !== null) said.set(key, [...(said.get(key) ?? []), value]);
  }
  for (const name of SAYING) {
    const words = said
      .get(name)
      ?.filter((word) => !STATES.has(name) || OF_STATES.has(word.trim().toLowerCase()));
    if (words === undefined) continue;
    const severity = worstSeverity(words.map((word) => severityOfText(word, name)));
    if (severity !== 'UNKNOWN') return severity;
  }
  return 'UNKNOWN';
}

const VALUES = new Set(['name', 'summary', 'value', 'label']);
const OF_STATES = new Set(
  'critical crit fatal disaster emergency error major warning warn minor failure'.split(' '),
);

/** "P1 - Critical", "Sev-2", "2" of a priority: what of it is understood first. */
function severityOfText(text: string, name: string): Severity {
  const word = text.trim().toLowerCase();
  const whole = severityOf(word.replace(/^(sev|p)[\s-]?(\d)$/, '$1$2'));
  if (whole !== 'UNKNOWN' || word.length > 60) return whole;
  if (/^[1-5]$/.test(word)) return name.includes('priority') ? severityOf(`p${word}`) : 'UNKNOWN';
  if (word === 'failure') return 'ERROR';
  const words = word.split(/[^a-z0-9]+/).filter((part) => part !== 'alert' && part !== 'page');
  return words.map(severityOf).find((severity) => severity !== 'UNKNOWN') ?? 'UNKNOWN';
}

/** Whether a word by itself tells how bad something is: `CRITICAL: the disk is full`. */
export function isSeverityWord(word: string): boolean {
  return severityOf(word.replace(/^sev-/i, 'sev')) !== 'UNKNOWN' && !/^(?:alert|page|none)$/i.test(word);
}

const SAID =
  /\b(?:severity|priority|urgency|log ?level|level)\b[\s"'*`]*(?:is|of|[:=])?[\s"'*`]*([a-z]+-?\d?)\b/gi;
const SHOUTED =
  /(?<![\w./-])(CRITICAL|CRIT|FATAL|EMERG(?:ENCY)?|DISASTER|ERROR|ERR|WARN(?:ING)?|NOTICE|INFO|P[1-5]|SEV-?[0-4])(?![\w/]|-\w)/;
const BRACKETED =
  /[[(<]\s*(critical|crit|fatal|emergency|disaster|error|major|warn(?:ing)?|minor|info|p[1-5]|sev-?[0-4])\s*[\])>|]/i;
const BEGUN = /^(?:critical|fatal|emergency|disaster|error|warn(?:ing)?)\b\s*[:!-]/im;
const KLOG = /^([EWIF])\d{4} \d\d:\d\d:\d\d/m;
const SYSLOG = /^<(\d{1,3})>/;
const OF_LETTERS = { E: 'ERROR', W: 'WARNING', I: 'INFO', F: 'CRITICAL' } as const;

/** Lines of a text in which a word may say how bad it is, by itself. */
const FIRST_LINES = 5;

/** What sentences and log lines say of it. */
export function severityInProse(text: string): Severity {
  const said = [...text.matchAll(SAID)].map(([, word]) => severityOfText(word!, 'severity'));
  const severity = said.find((each) => each !== 'UNKNOWN');
  if (severity !== undefined) return severity;
  const beginning = text.split('\n', FIRST_LINES).join('\n');
  const number = SYSLOG.exec(beginning)?.[1];
  if (number !== undefined)
    return (['CRITICAL', 'CRITICAL', 'CRITICAL', 'ERROR', 'WARNING'] as const)[Number(number) % 8] ?? 'INFO';
  const letter = KLOG.exec(beginning)?.[1];
  if (letter !== undefined) return OF_LETTERS[letter as keyof typeof OF_LETTERS];
  const word = SHOUTED.exec(beginning)?.[1] ?? BRACKETED.exec(beginning)?.[1] ?? BEGUN.exec(beginning)?.[0];
  return word === undefined ? 'UNKNOWN' : severityOfText(word.replace(/^EMERG$/, 'emergency'), 'severity');
}
