import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { opensPalette, shortcutFor } from './shortcuts.ts';

beforeEach(() => {
  vi.stubGlobal('Element', class {});
  vi.stubGlobal('document', { querySelector: () => null });
});
afterEach(() => vi.unstubAllGlobals());

const press = (key: string, code: string, more: object = {}) => ({ key, code, ...more }) as KeyboardEvent;
const groups = ['j', '/', '?', 'z'].map((key) => ({ title: '', shortcuts: [{ key, label: key, run() {} }] }));
const found = (...of: Parameters<typeof press>) => shortcutFor(press(...of), groups)?.key ?? null;

it('takes letters of other scripts for the Latin ones on their keys', () => {
  expect(found('о', 'KeyJ')).toBe('j'); // Russian
  expect(found('ξ', 'KeyJ')).toBe('j'); // Greek
  expect(found('ח', 'KeyJ')).toBe('j'); // Hebrew
  expect(found('О', 'KeyJ')).toBe(null); // with Shift
  expect(opensPalette(press('л', 'KeyK', { ctrlKey: true }))).toBe(true);
  expect(opensPalette(press('л', 'KeyK', { metaKey: true }))).toBe(true);
});

it('takes the character of a Latin layout, wherever its key is', () => {
  expect(found('z', 'KeyY')).toBe('z'); // German
  expect(found('y', 'KeyZ')).toBe(null);
  expect(found('/', 'KeyQ')).toBe('/'); // Hebrew
  expect(found('?', 'Digit7')).toBe('?'); // Russian
  expect(opensPalette(press('t', 'KeyK', { ctrlKey: true }))).toBe(false); // Dvorak
});
