import { expect, it } from 'vitest';
import { hrefOf, type LinkTarget, matchPath } from './address.ts';

it.each<[LinkTarget, string]>([
  ['/submit?from=1#a', '/submit?from=1#a'],
  ['?q=x', '/here?q=x'],
  ['#event-3', '/here#event-3'],
  ['', '/here'],
  [{ hash: '#claim-1' }, '/here#claim-1'],
  [{ hash: '' }, '/here'],
  [{ pathname: '/there', search: '?a=1' }, '/there?a=1'],
])('resolves the link target %j', (to, expected) => {
  expect(hrefOf(to, '/here')).toBe(expected);
});

it.each([
  ['/', '/', {}],
  ['/sessions/:id', '/sessions/a%2Fb', { id: 'a/b' }],
  ['/sessions/:id', '/sessions/a/', { id: 'a' }],
  ['/sessions/:id', '/sessions/%E0%A4%A', { id: '%E0%A4%A' }],
  ['/sessions/:id', '/sessions/a/trace', null],
  ['/sessions/:id/trace', '/sessions/a/trace', { id: 'a' }],
  ['/sessions/:id', '/alerts/a', null],
  ['*', '/whatever/there/is', {}],
])('matches %s against %s', (pattern, pathname, params) => {
  expect(matchPath(pattern, pathname)).toEqual(params);
});
