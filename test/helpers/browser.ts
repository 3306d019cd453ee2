import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Paths where Debian and other systems install Chromium. The environment variable CHROMIUM names another
 * path.
 */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/**
 * Path of the browser; `null` if none is installed. Without a browser, browser tests are skipped with a note.
 */
export const CHROMIUM: string | null = PLACES.find((path) => path && existsSync(path)) ?? null;

export const NO_CHROMIUM =
  'Chromium is not installed (apt-get install chromium), or CHROMIUM does not name it';

/**
 * Browser features that use the network, make pages render differently between runs, or cost CPU. For
 * example, the pop-ups of the address bar run 400 scripts for each new window.
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

/** Flags that keep the browser itself off the network. */
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
