import { expect, it } from 'vitest';
import { pathWithin } from './sub-path.ts';

it.each([
  ['/tarsy/sessions/1', '/tarsy', '/sessions/1'],
  ['/tarsy/', '/tarsy', '/'],
  ['/tarsy2/x', '/tarsy', '/tarsy2/x'],
  ['/sessions/1', '', '/sessions/1'],
])('the page %s below %j is %s', (pathname, subPath, path) => {
  expect(pathWithin(pathname, subPath)).toBe(path);
});
