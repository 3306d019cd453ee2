import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and others put Chromium; CHROMIUM names another. */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The browser's program, or null where there is none: browser tests are skipped then, saying so. */
export const CHROMIUM: string | null = PLACES.find((path) => path && existsSync(path)) ?? null;

export const NO_CHROMIUM =
  'Chromium is not installed (apt-get install chromium), or CHROMIUM does not name it';

/** Nothing of the browser's own may look for the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error(NO_CHROMIUM);
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
