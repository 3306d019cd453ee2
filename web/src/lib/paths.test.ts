import { expect, it } from 'vitest';
import { groupPath, sessionPath, tracePath } from './paths.ts';

const UUID = '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071';

it.each([
  ['a global id', btoa(`Session:${UUID}`), UUID],
  ['a UUID', UUID, UUID],
  ['anything else', 'no/thing?', 'no%2Fthing%3F'],
])('builds the address from %s', (_what, id, expected) => {
  expect(sessionPath(id)).toBe(`/sessions/${expected}`);
  expect(tracePath(id)).toBe(`/sessions/${expected}/trace`);
  expect(groupPath(id)).toBe(`/alerts/${expected}`);
});
