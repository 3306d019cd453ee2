import { expect, test } from 'vitest';
import { unknownToolMessage } from './unknown-tool.ts';

test.each([
  ['withheld', 'Tool "s.t" is withheld from you (the reason). No tools are available.'],
  ['unusable', 'Unknown tool "s.t". No tools are available.'],
] as const)('says that a tool is withheld only if it is: %s', (kind, message) => {
  const leftOut = [{ server: 's', tool: 't', reason: 'the reason', kind }];
  const answer = unknownToolMessage('s.t', { catalogue: new Map(), leftOut, unavailable: new Map() });
  expect(answer).toBe(message);
});
