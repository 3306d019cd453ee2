import { SEVERITIES, type Severity } from '../db/enums.ts';

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
export function worst(severities: Iterable<Severity>): Severity {
  const ranks = [...severities].map((severity) => SEVERITIES.indexOf(severity));
  return SEVERITIES[Math.min(SEVERITIES.length - 1, ...ranks)]!;
}
