import { afterEach, expect, it, vi } from 'vitest';
import { leaveToSignIn, restoreAddress } from './return-address.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Opens a page at `href` in a tab whose storage is `kept`. Returns its address, which changes with the history. */
function openPage(href: string, kept: Map<string, string>) {
  const page = { href };
  const location = {
    get href() {
      return page.href;
    },
    get hash() {
      return new URL(page.href).hash;
    },
    reload: () => undefined,
  };
  const history = {
    replaceState: (_state: unknown, _title: string, address: string) => {
      page.href = address;
    },
  };
  vi.stubGlobal('window', { location, history });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  return page;
}

const SESSION = 'https://tarsy.example.com/sessions/1?q=disk';

it.each([
  ['the same page', SESSION, `${SESSION}#event-3`],
  ['the same page with an empty fragment', `${SESSION}#`, `${SESSION}#event-3`],
  ['the same page with another fragment', `${SESSION}#event-4`, `${SESSION}#event-4`],
  ['another page', 'https://tarsy.example.com/system', 'https://tarsy.example.com/system'],
])('restores the fragment after a sign-in that leads to %s', (_where, led, shown) => {
  const kept = new Map<string, string>();
  openPage(`${SESSION}#event-3`, kept);
  leaveToSignIn();
  const page = openPage(led, kept);
  restoreAddress();
  expect(page.href).toBe(shown);
});

it('restores an address once', () => {
  const kept = new Map<string, string>();
  openPage(`${SESSION}#event-3`, kept);
  leaveToSignIn();
  openPage('https://tarsy.example.com/system', kept);
  restoreAddress();
  const page = openPage(SESSION, kept);
  restoreAddress();
  expect(page.href).toBe(SESSION);
});
