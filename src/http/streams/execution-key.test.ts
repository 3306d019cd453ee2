import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { createExecutionKeys } from './execution-key.ts';

const keyOf = createExecutionKeys();
const key = (text: string, variables: Record<string, unknown>, more: object = {}) =>
  keyOf({ topic: 't', document: parse(text), operationName: null, variables, viewer: 'v', ...more });

const FOLLOW =
  'subscription ($id: ID!, $after: String) { sessionEvents(sessionId: $id, after: $after) { at } }';

test('ignores the cursor', () => {
  expect(key(FOLLOW, { id: 1, after: 'a' })).toBe(key(FOLLOW, { id: 1, after: 'b' }));
  expect(key(FOLLOW, { id: 1, after: 'a' })).toBe(key(FOLLOW, { id: 1 }));
  const inFragment =
    'subscription ($after: String) { ...F } fragment F on Subscription { s: sessionEvents(sessionId: "x", after: $after) { at } }';
  expect(key(inFragment, { after: 'a' })).toBe(key(inFragment, { after: 'b' }));
});

test.each<[string, string, object, object, object?]>([
  ['another variable', FOLLOW, { id: 1 }, { id: 2 }],
  [
    'a cursor that something else depends on',
    'subscription ($after: String) { sessionEvents(sessionId: $after, after: $after) { at } }',
    { after: 'a' },
    { after: 'b' },
  ],
  [
    'an argument of this name elsewhere',
    'subscription ($after: String) { sessionsChanged { session(after: $after) { id } } }',
    { after: 'a' },
    { after: 'b' },
  ],
  ['the viewer', FOLLOW, { id: 1 }, { id: 1 }, { viewer: 'w' }],
  ['the topic', FOLLOW, { id: 1 }, { id: 1 }, { topic: 'u' }],
  ['the operation', FOLLOW, { id: 1 }, { id: 1 }, { operationName: 'A' }],
])('distinguishes: %s', (_what, text, one, other, more = {}) => {
  expect(key(text, { ...one })).not.toBe(key(text, { ...other }, more));
});
