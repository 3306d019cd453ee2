import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createSealedCookie } from './sealed-cookie.ts';

test('a sealed cookie keeps the millisecond in which it was sealed', async () => {
  const cookie = createSealedCookie({ name: 'c', isSecure: false, key: randomBytes(32), purpose: 'test' });
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  const before = Date.now();
  expect(await cookie.write(res, { user: 'ana' }, 60_000)).toBe(true);
  const after = Date.now();
  req.headers.cookie = String(res.getHeader('Set-Cookie')).split(';')[0]!;
  const sealed = await cookie.read(req);
  expect(sealed?.value).toEqual({ user: 'ana' });
  // Parts of a second are a fraction, which is not exact.
  expect(sealed?.since.getTime()).toBeGreaterThanOrEqual(before - 1);
  expect(sealed?.since.getTime()).toBeLessThanOrEqual(after + 1);
});
