import { expect, test } from 'vitest';
import type { ChannelConfig, NotificationsConfig } from '../../../config/types.ts';
import { channelsFor, type EventProperties, NO_PROPERTIES } from './rules.ts';

const ANY = { verdicts: null, severities: null, teams: null, alertTypes: null, sources: null };
const ALL: EventProperties = {
  ...{ verdict: 'ACTION_REQUIRED', severity: 'CRITICAL', team: 'shop', alertType: 'host', source: 'prom' },
};

/** Returns the channels that one rule gives an event. */
function matched(rule: Partial<NotificationsConfig['rules'][number]>, properties: EventProperties): string[] {
  const names = ['a', 'b'];
  const channels = Object.fromEntries(names.map((name) => [name, { name } as ChannelConfig]));
  const rules = [
    { ...ANY, events: ['session.ended'] as const, channels: ['a', 'b'], ...rule },
    { ...ANY, events: ['session.started'] as const, channels: names },
    { ...ANY, events: ['session.ended'] as const, teams: ['other'], channels: ['b'] },
  ];
  return channelsFor({ channels, rules }, 'session.ended', properties).map(({ name }) => name);
}

test.each<[string, object, EventProperties, boolean]>([
  ['no filter', {}, ALL, true],
  [
    'every filter',
    {
      verdicts: ['action_required'],
      severities: ['critical'],
      teams: ['shop'],
      alertTypes: ['host'],
      sources: ['prom'],
    },
    ALL,
    true,
  ],
  ['another verdict', { verdicts: ['none'] }, ALL, false],
  ['no report', { verdicts: ['none'] }, NO_PROPERTIES, true],
  ['another severity', { severities: ['info'] }, ALL, false],
  ['an unknown severity', { severities: ['info'] }, NO_PROPERTIES, false],
  ['another team', { teams: ['bank'] }, ALL, false],
  ['another alert type', { alertTypes: ['disk'] }, ALL, false],
  ['another source', { sources: ['api'] }, ALL, false],
])('a rule with %s', (_, rule, properties, matches) => {
  expect(matched(rule, properties)).toEqual(matches ? ['a', 'b'] : []);
});

test('a channel that several rules name is notified once', () => {
  expect(matched({}, { ...ALL, team: 'other' })).toEqual(['a', 'b']);
});
