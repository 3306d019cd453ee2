import { expect, test } from 'vitest';
import { caseDocument } from './document.ts';
import { openRecording } from './recording.ts';

const TOOL = {
  ...{ server: 'k8s', name: 'logs', aliases: { ns: 'namespace' }, not_found: 'No such pod.' },
  input_schema: {
    type: 'object',
    properties: {
      namespace: { type: 'string' },
      tail: { type: 'integer', default: 100 },
      previous: { type: 'boolean' },
      kinds: { type: 'array', uniqueItems: true },
    },
  },
};

function recording(calls: object[], world = 'open') {
  const document = caseDocument.parse({
    ...{ format: 1, name: 'a', world, alert_type: 'k8s', recorded_at: '2026-01-02T03:04:05Z', alert: 'x' },
    tools: [TOOL],
    calls: calls.map((call) => ({ server: 'k8s', tool: 'logs', ...call })),
  });
  const opened = openRecording(document);
  return (args: Record<string, unknown>, agent = 'A') =>
    opened.answer({ agent, server: 'k8s', tool: 'logs', arguments: args });
}

test.each<[why: string, args: Record<string, unknown>]>([
  ['an alias', { ns: 'shop', tail: 5 }],
  ['a number as text', { namespace: 'shop', tail: '5' }],
  ['white space', { namespace: ' shop ', tail: 5 }],
  ['empty values', { namespace: 'shop', tail: 5, previous: null, kinds: [] }],
])('%s does not change the meaning of a call', (_, args) => {
  const answer = recording([{ arguments: { namespace: 'shop', tail: 5 }, output: 'lines' }]);
  expect(answer(args)).toEqual({ recorded: 'EQUIVALENT', text: 'lines', isError: false });
});

test('defaults and the order of sets do not change the meaning, and other values do', () => {
  const answer = recording([{ arguments: { kinds: ['b', 'a'], tail: 100 }, output: 'lines' }]);
  expect(answer({ kinds: ['a', 'b'] }).recorded).toBe('EQUIVALENT');
  expect(answer({ kinds: ['a', 'b'], tail: 99 }).recorded).toBe('UNRECORDED');
});

test('equal arguments win over equivalent ones, in any order of keys', () => {
  const answer = recording([
    { arguments: { ns: 'shop', tail: 5 }, output: 'alias' },
    { arguments: { namespace: 'shop', tail: 5 }, output: 'name' },
  ]);
  expect(answer({ tail: 5, namespace: 'shop' })).toMatchObject({ recorded: 'EXACT', text: 'name' });
});

test('repeated calls get successive answers, and then the last one', () => {
  const answer = recording(['one', 'two'].map((output) => ({ output })));
  expect([answer({}), answer({}), answer({})].map(({ text }) => text)).toEqual(['one', 'two', 'two']);
});

test('an agent gets the answers to its own calls, if it has some', () => {
  const answer = recording([
    { agent: 'A', output: 'for A' },
    { agent: 'B', output: 'for B', error: true },
  ]);
  expect(answer({}, 'B')).toEqual({ recorded: 'EXACT', text: 'for B', isError: true });
});

test('an unrecorded call proves nothing in an open world and finds nothing in a closed one', () => {
  expect(recording([])({})).toMatchObject({ recorded: 'UNRECORDED', isError: true });
  expect(recording([], 'closed')({})).toEqual({
    recorded: 'UNRECORDED',
    text: 'No such pod.',
    isError: false,
  });
});

test('a partial call answers calls with further arguments, the most specific one first', () => {
  const answer = recording([
    { partial: true, output: 'any' },
    { arguments: { namespace: 'shop' }, partial: true, output: 'of the shop' },
    { arguments: { namespace: 'shop', tail: 5 }, output: 'exactly' },
  ]);
  const texts = [{}, { tail: 7 }, { ns: 'shop', tail: 7 }, { namespace: 'shop', tail: 5 }].map(
    (args) => answer(args).text,
  );
  expect(texts).toEqual(['any', 'any', 'of the shop', 'exactly']);
  expect(answer({ ns: 'shop', tail: 7 }).recorded).toBe('EQUIVALENT');
});
