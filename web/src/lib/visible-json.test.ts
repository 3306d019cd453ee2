import { expect, test } from 'vitest';
import { visibleJson as ofTerminal } from '../../../src/common/visible-json.ts';
import { visibleJson } from './visible-json.ts';

test('escapes the same characters as the other places that show arguments', () => {
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const value = String.fromCodePoint(code);
    if (visibleJson(value) !== ofTerminal(value)) expect(visibleJson(value)).toBe(ofTerminal(value));
  }
});

test('shows a text that turns the direction around', () => {
  expect(visibleJson({ path: '/tmp/\u202egpj.sh' })).toContain(String.raw`/tmp/\u202egpj.sh`);
});
