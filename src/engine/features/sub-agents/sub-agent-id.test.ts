import { v7 as uuidv7, validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { subAgentId } from './plan.ts';

test('is the same for a repeated call, differs for any other call, and sorts with its parent', () => {
  const parent = uuidv7();
  const id = subAgentId(parent, 'call-1', 'Look');
  expect(subAgentId(parent, 'call-1', 'Look')).toBe(id);
  const others = [
    subAgentId(parent, 'call-2', 'Look'),
    subAgentId(parent, 'call-1', 'Look there'), // from a provider that numbers the calls of each response from 1
    subAgentId(uuidv7(), 'call-1', 'Look'),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
  expect(validate(id)).toBe(true);
  expect(version(id)).toBe(7);
  expect(id.slice(0, 13)).toBe(parent.slice(0, 13));
});
