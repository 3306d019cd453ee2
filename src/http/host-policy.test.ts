import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createOriginCheck } from './host-policy.ts';

const check = createOriginCheck(['https://tarsy.example.com', 'https://*.apps.example.com:8443']);
const from = (origin: string | undefined, host = 'tarsy.example.com') =>
  check({ headers: { origin, host } } as IncomingMessage);

test.each<[string | undefined, boolean, string?]>([
  [undefined, true],
  ['https://tarsy.example.com', true],
  ['https://TARSY.example.com', true],
  ['http://tarsy.example.com', true], // same host as the request, although another scheme
  ['https://tarsy.example.com.evil.example', false],
  ['https://tarsyxexample.com', false],
  ['https://a.apps.example.com:8443', true],
  ['https://a.b.apps.example.com:8443', true],
  ['https://apps.example.com:8443', false],
  ['https://a.apps.example.com', false],
  ['https://evil.example/.apps.example.com:8443', false],
  ['https://evil.example#.apps.example.com:8443', false],
  ['https://evil.example', false],
  ['null', false],
  ['', false],
  ['http://localhost:8080', true, 'localhost:8080'],
  ['http://localhost:5173', false, 'localhost:8080'],
  ['http://localhost:5173', false, '127.0.0.1:8080'],
  ['http://localhost:5173', false, 'tarsy.example.com'],
  ['http://localhost:5173', false, 'bad host'],
])('a page of %s: %s', (origin, allowed, host) => {
  expect(from(origin, host)).toBe(allowed);
});
