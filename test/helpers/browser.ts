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

/**
 * What of the browser would look for the network, treat our pages differently from time to time, or (the pop-ups of its
 * address bar: 400 scripts for each new window) take a core away from them for a second.
 */
const OFF = [
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'PreloadTopChromeWebUI',
  'ThirdPartyStoragePartitioning',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

/** Nothing of the browser's own may look for the network. */
const FLAGS = [
  `--disable-features=${OFF.join(',')}`,
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
