import { describe, expect, it } from 'vitest';
import { compileMatchers } from '../../../../src/config/matchers.ts';
import { commonLabels, matchersFor, ownLabels } from './labels.ts';

const alert = (labels: Record<string, string>, title = 'Disk full') => ({ title, labels });
const disks = [alert({ host: 'a', zone: 'eu', job: '' }), alert({ host: 'b', zone: 'eu', job: '' })];

describe('labels of several alerts', () => {
  it('are common if all alerts have the same value', () => {
    expect(commonLabels(disks)).toEqual({ zone: 'eu', job: '' });
    expect(commonLabels([...disks, alert({ zone: 'eu' })])).toEqual({ zone: 'eu' });
    expect(commonLabels([])).toEqual({});
  });

  it('are an alert’s own if they are not common', () => {
    expect(ownLabels(disks[0]!, commonLabels(disks))).toEqual({ host: 'a' });
  });
});

describe('the matchers of a group', () => {
  it('name the common labels and the source', () => {
    expect(matchersFor('prod', disks)).toEqual([
      'alertname="Disk full"',
      'source="prod"',
      'zone="eu"',
      'job=""',
    ]);
    expect(matchersFor('prod', [disks[0]!, alert({ host: 'b' }, 'CPU')])).toEqual(['source="prod"']);
  });

  it('respect the limits of count and length, and always name the alert and the source', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`l${index}`, 'x']));
    const matchers = matchersFor('prod', [alert({ ...many, long: 'x'.repeat(2_000) })]);
    expect(matchers).toHaveLength(20);
    expect(matchers.slice(0, 2)).toEqual(['alertname="Disk full"', 'source="prod"']);
    expect(matchers.some((matcher) => matcher.startsWith('long'))).toBe(false);
  });

  it.each(['a "quoted" \\ one', 'two\nlines', '{a="b"}', '<img onerror=alert(1)>', 'ü, é', ''])(
    'match only the value %j when the server compiles them',
    (value) => {
      const labels = { 'a name, odd': value };
      const matches = compileMatchers(matchersFor('prod', [alert(labels)]));
      const seen = { alertname: 'Disk full', source: 'prod' };
      expect(matches({ ...seen, ...labels })).toBe(true);
      expect(matches({ ...seen, 'a name, odd': `${value}x` })).toBe(false);
    },
  );
});
