import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createBegunCookies } from './begun-cookies.ts';

const cookies = createBegunCookies({
  ...{ subPath: '/tools', isSecure: true, key: randomBytes(32), purpose: 'test' },
});

/** A browser with cookies, which sends the oldest first. */
function openBrowser() {
  const kept = new Map<string, string>();
  return {
    kept,
    async ask<T>(work: (req: IncomingMessage, res: ServerResponse) => Promise<T>): Promise<T> {
      const req = new IncomingMessage(new Socket());
      req.headers.cookie = [...kept].map((pair) => pair.join('=')).join('; ');
      const res = new ServerResponse(req);
      const result = await work(req, res);
      for (const set of [res.getHeader('Set-Cookie') ?? []].flat().map(String)) {
        const [, name, value, age] = /^([^=]+)=([^;]*).*Max-Age=(\d+)/.exec(set)!;
        if (age === '0') kept.delete(name!);
        else kept.set(name!, value!);
      }
      return result;
    },
  };
}

const begun = (to: string) => {
  const state = randomBytes(32).toString('base64url');
  return { state, nonce: 'n', verifier: 'v', to };
};

test('keeps each of several sign-ins, which end once, in any order', async () => {
  const browser = openBrowser();
  const tabs = [begun('/a'), begun('/b'), begun('/c')];
  for (const tab of tabs) await browser.ask((req, res) => cookies.write(req, res, tab));
  for (const tab of [tabs[1]!, tabs[2]!, tabs[0]!]) {
    expect(await browser.ask((req, res) => cookies.take(req, res, tab.state))).toEqual(tab);
    expect(await browser.ask((req, res) => cookies.take(req, res, tab.state))).toBeNull();
  }
  expect(browser.kept.size).toBe(0);
});

test('removes the oldest of many sign-ins, and no other cookie', async () => {
  const browser = openBrowser();
  const others = ['__Host-tarsy.tools', '__Host-tarsy-sign-in-aaaaaaaaaaaaaaaa'];
  for (const name of others) browser.kept.set(name, 'x'.repeat(2000));
  const tabs = Array.from({ length: 20 }, (_, at) => begun(`/sessions/${at}?q=${'x'.repeat(at * 40)}`));
  for (const tab of tabs) await browser.ask((req, res) => cookies.write(req, res, tab));
  expect([...browser.kept.keys()]).toEqual(expect.arrayContaining(others));
  const own = [...browser.kept].filter(([name]) => !others.includes(name));
  expect(own.length).toBeGreaterThan(1);
  expect(own.map((pair) => pair.join('=')).join('; ').length).toBeLessThan(6000);
  expect(await browser.ask((req, res) => cookies.take(req, res, tabs[0]!.state))).toBeNull();
  expect(await browser.ask((req, res) => cookies.take(req, res, tabs[19]!.state))).toEqual(tabs[19]);
});

test('sets no cookie for a state that is none', async () => {
  const browser = openBrowser();
  for (const state of ['', 'short', 'x; Domain=evil.example; y', 'line\r\nbreak-in-a-state'])
    expect(await browser.ask((req, res) => cookies.take(req, res, state))).toBeNull();
});
