import { expect, test } from 'vitest';
import type { StoredFact } from '../../../db/entities/index.ts';
import { agreementOf, agreementWithSource, isSameFact } from './agreement.ts';

const fact = (
  subject: string,
  attribute: string,
  value: string,
  more: Partial<StoredFact> = {},
): StoredFact => ({
  ...{ subject, attribute, value, unit: null, negated: false, citation: 0, window: null, filter: null },
  ...{ status: 'SUPPORTED', problem: null },
  ...more,
});

test.each([
  [
    'case and quotation marks',
    fact('Web-1', 'lastState', '"OOMKilled"'),
    fact('web-1', 'last state', "'oomkilled'"),
  ],
  ['a unit inside the value', fact('/', 'used', '97%'), fact('/', 'used', '97', { unit: '%' })],
  ['another unit', fact('web', 'memory', '1 GiB'), fact('web', 'memory', '1024 MiB')],
  [
    'times',
    fact('web', 'started', '2026-01-02T03:04:05Z'),
    fact('web', 'started', '2026-01-02 03:04:05 UTC'),
  ],
])('facts are the same despite %s', (_, one, other) => {
  expect(isSameFact(one, other)).toBe(true);
  expect(isSameFact(other, one)).toBe(true);
});

test.each([
  ['subject', fact('web-2', 'restarts', '17')],
  ['attribute', fact('web-1', 'retries', '17')],
  ['value', fact('web-1', 'restarts', '18')],
  ['denial', fact('web-1', 'restarts', '17', { negated: true })],
])('facts differ by their %s', (_, other) => {
  expect(isSameFact(fact('web-1', 'restarts', '17'), other)).toBe(false);
});

test('names the cause with which most replicas agree', () => {
  const [disk, memory] = [fact('disk', 'state', 'full'), fact('memory', 'state', 'full')];
  const cause = (text: string, ...facts: StoredFact[]) =>
    ({ kind: 'CAUSE', text, status: 'SUPPORTED', facts }) as const;
  const replicas = [[disk], [memory], [memory, disk], []].map((facts) => ({ facts }));
  const claims = [cause('Disk.', fact('disk', 'state', 'slow')), cause('Memory.', memory)];
  expect(agreementOf(claims, replicas)).toEqual({ runs: 4, agreeing: 2, cause: 'Memory.' });
  expect(agreementOf([...claims, cause('Disk.', disk)], replicas)).toMatchObject({ agreeing: 3 });
  expect(agreementOf([{ ...claims[1]!, kind: 'OBSERVATION' }], replicas)).toBeNull();
  expect(agreementOf([{ ...claims[1]!, status: 'UNSUPPORTED' }], replicas)).toMatchObject({
    ...{ agreeing: 0, cause: null },
  });
  expect(agreementOf(claims, [])).toBeNull();
});

test('compares the cause of a replay with that of its source', () => {
  const proven = { kind: 'CAUSE', status: 'SUPPORTED' } as const;
  const disk = { ...proven, text: 'Disk.', facts: [fact('disk', 'state', 'full')] };
  const memory = { ...disk, text: 'Memory.', facts: [fact('memory', 'state', 'full')] };
  expect(agreementWithSource([disk], [memory, disk])).toEqual({ runs: 2, agreeing: 2, cause: 'Disk.' });
  expect(agreementWithSource([memory], [disk])).toEqual({ runs: 2, agreeing: 1, cause: null });
  expect(agreementWithSource([], [disk])).toEqual({ runs: 2, agreeing: 1, cause: null });
  expect(agreementWithSource([disk], [{ ...disk, status: 'UNSUPPORTED' }])).toBeNull();
});
