import { expect, it } from 'vitest';
import { filterOfParams } from './filter.ts';

it.each([
  ['', {}],
  ['state=FIRING', { state: 'FIRING' }],
  ['state=RESOLVED&severity=CRITICAL', { state: 'RESOLVED', severity: ['CRITICAL'] }],
  ['state=firing&severity=BAD&after=x', {}],
])('an address with %s has its filter', (address, filter) => {
  expect(filterOfParams(new URLSearchParams(address))).toEqual(filter);
});
