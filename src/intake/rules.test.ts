import { expect, it } from 'vitest';
import type { IntakeRule } from '../config/types.ts';
import { severityOf, worstSeverity } from '../engine/alert/severity.ts';
import type { IncomingAlert } from './delivery.ts';
import { keyOf } from './keys.ts';
import { createFindRuling } from './rules.ts';

const SOURCE = { name: 'prod', alertType: 'kubernetes' };
const alert = (more: Partial<IncomingAlert> = {}): IncomingAlert => ({
  fingerprint: 'f1',
  groupKey: 'theirs',
  episode: null,
  title: 'Disk full',
  severity: 'WARNING',
  state: 'FIRING',
  labels: { host: 'db-03', cluster: 'eu' },
  annotations: {},
  startsAt: null,
  endsAt: null,
  url: null,
  ...more,
});
const rule = (more: Partial<IntakeRule>): IntakeRule => ({
  name: 'a rule',
  match: [],
  alertType: null,
  team: null,
  severity: null,
  groupBy: null,
  groupWaitMs: null,
  reinvestigateAfterMs: null,
  investigate: null,
  isCanary: false,
  canaryWithinMs: 900_000,
  onResolve: 'tell',
  investigateResolved: false,
  ...more,
});
const findRuling = (rules: IntakeRule[], what = alert()) => createFindRuling({ rules })(what, SOURCE);

it('uses the source’s group, a wait of 10 s and a coverage of 4 h without a rule', () => {
  expect(findRuling([])).toEqual({
    rule: null,
    severity: 'WARNING',
    groupKey: 'theirs',
    alertType: 'kubernetes',
    team: null,
    isExcluded: false,
    isCanary: false,
    groupWaitMs: 10_000,
    reinvestigateAfterMs: 14_400_000,
    onResolve: 'tell',
    investigateResolved: false,
  });
  expect(findRuling([], alert({ groupKey: null })).groupKey).toBe('f1');
});

it('applies only the first matching rule', () => {
  const rules = [
    rule({ name: 'no', match: ['host="other"'] }),
    rule({
      name: 'yes',
      match: [
        'host=~"db-.*"',
        'source="prod"',
        'severity="warning"',
        'alertname="Disk full"',
        'alert_type="kubernetes"',
      ],
      investigate: 'never',
      team: 'storage',
    }),
    rule({ name: 'late', groupWaitMs: 1 }),
  ];
  expect(findRuling(rules)).toMatchObject({
    rule: 'yes',
    team: 'storage',
    isExcluded: true,
    groupWaitMs: 10_000,
  });
});

it('an alert’s labels replace the matched severity and name, but never the source', () => {
  const lying = alert({ labels: { source: 'other', severity: 'page', alertname: 'Own' } });
  const matched = (matcher: string) => findRuling([rule({ match: [matcher] })], lying).rule !== null;
  expect(matched('source="prod"')).toBe(true);
  expect(matched('source="other"')).toBe(false);
  expect(matched('severity="page"')).toBe(true);
  expect(matched('alertname="Own"')).toBe(true);
});

it('critical alerts do not wait, even if a rule made them critical', () => {
  const waiting = rule({ groupWaitMs: 60_000 });
  expect(findRuling([waiting], alert({ severity: 'CRITICAL' })).groupWaitMs).toBe(0);
  expect(findRuling([{ ...waiting, severity: 'critical' }])).toMatchObject({
    severity: 'CRITICAL',
    groupWaitMs: 0,
  });
  expect(findRuling([waiting]).groupWaitMs).toBe(60_000);
});

it('alerts are grouped by labels, and an alert that lacks one forms its own group', () => {
  const by = [rule({ groupBy: ['cluster', 'zone'] })];
  const key = (labels: Record<string, string>) => findRuling(by, alert({ labels })).groupKey;
  expect(key({ cluster: 'eu', zone: '' })).toBe(key({ zone: '', cluster: 'eu', host: 'x' }));
  expect(key({ cluster: 'eu', zone: 'a' })).not.toBe(key({ cluster: 'eua', zone: '' }));
  expect(key({ cluster: 'eu' })).toBe('f1');
  expect(key({ zone: 'a' })).toBe('f1');
});

it('keys of different parts differ', () => {
  const keys = [
    ['a', 'bc'],
    ['ab', 'c'],
    ['abc', ''],
    ['abc', null],
    ['abc'],
    ['', 'abc'],
    [null, 'abc'],
    ['sha256:x'],
    [''],
    [null],
  ];
  expect(new Set(keys.map((parts) => keyOf(...parts))).size).toBe(keys.length);
  expect(keyOf('abc')).toBe('abc');
  const hashed = keyOf('a', 'bc');
  expect(keyOf(hashed)).not.toBe(hashed); // a sender cannot choose a key that is the hash of others
});

it('severity words are recognized in any case, and the worst of several is found', () => {
  expect(['CRITICAL', 'Disaster', 'page', 'P1', 'Sev0'].map(severityOf)).toEqual(Array(5).fill('CRITICAL'));
  expect(['high', 'Sev1', 'warn', 'Average', 'none', 'P5'].map(severityOf)).toEqual([
    'ERROR',
    'ERROR',
    'WARNING',
    'WARNING',
    'INFO',
    'INFO',
  ]);
  expect(['home page', 'alert manager', 'none of them'].map(severityOf)).toEqual(Array(3).fill('UNKNOWN'));
  expect(['', null, 'whatever', 'constructor'].map(severityOf)).toEqual(Array(4).fill('UNKNOWN'));
  expect([worstSeverity(['INFO', 'ERROR', 'UNKNOWN']), worstSeverity([])]).toEqual(['ERROR', 'UNKNOWN']);
});
