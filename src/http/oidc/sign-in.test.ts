import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { createSignIn, type SignInDeps } from './sign-in.ts';

// Nothing listens at the provider's port, so that a sign-in that begins here is refused with 503.
const signIn = createSignIn({
  oidc: { issuer: 'http://127.0.0.1:9', clientId: 'tarsy', clientSecret: null, scopes: [] },
  access: {},
  key: randomBytes(32),
  dashboardUrl: 'https://tarsy.example/tools',
  checkOrigin: () => null,
  endedAccess: { known: async () => {}, isEnded: () => false },
  logger: pino({ level: 'silent' }),
} as unknown as SignInDeps);

test.each([
  ['tarsy.example', 503, undefined],
  ['tarsy.example:443', 503, undefined], // as nginx writes it for $host:$server_port
  ['other.example', 302, 'https://tarsy.example/tools/alerts'],
  ['tarsy.example:8443', 302, 'https://tarsy.example/tools/alerts'],
])('a sign-in that begins at %s is answered with %i', async (host, status, location) => {
  const req = new IncomingMessage(new Socket());
  Object.assign(req, { url: '/alerts', headers: { host } });
  const res = new ServerResponse(req);
  const writeHead = vi.spyOn(res, 'writeHead');
  await signIn.begin(req, res);
  const [code, headers] = writeHead.mock.calls[0] as unknown as [number, Record<string, string>];
  expect([code, headers.Location]).toEqual([status, location]);
});
