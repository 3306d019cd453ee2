import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeFindings } from './axe.ts';
import { rawValues } from './raw-values.ts';

/** Folder for screenshots; if the variable is unset, no screenshots are taken. */
const PICTURES = process.env.DASHBOARD_PICTURES;
/** Window widths of a phone, a small and a usual laptop, and a wide screen (CSS pixels). */
const WIDTHS = [390, 1024, 1440, 1920];
/** The narrowest and the widest, one for each of the two layouts. */
const OUTER_WIDTHS = [390, 1920];

/** Time limit for the layout to settle on a busy machine (ms). */
const SETTLED_MS = 30_000;
const RESIZED_MS = 5_000;

/**
 * Asserts that the page fits every width, meets the accessibility rules and shows no raw values. The dark scheme
 * differs from the light one by colours only, so there only the rules about colours are checked. Leaves the page in
 * the light scheme. `name` names the screenshots. `whole` captures the full page instead of the window. Without
 * `switchScheme`, checks the page in its present scheme only.
 */
export async function expectPageFits(
  page: Page,
  name: string,
  { whole = true, switchScheme = true } = {},
): Promise<void> {
  if (switchScheme) await page.emulateMedia({ colorScheme: 'light' });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
    // Polled because floating elements move after the window is resized.
    const options = { message: `${name} at ${width} px`, timeout: SETTLED_MS };
    const fits = (timeout: number) =>
      expect.poll(() => overflowingElements(page), { ...options, timeout }).toEqual([]);
    // On a busy machine, Chromium sometimes keeps styles of the previous width until the width changes again.
    await fits(RESIZED_MS).catch(async () => {
      await page.setViewportSize({ width: width < 900 ? 1200 : 600, height: 900 });
      await page.setViewportSize({ width, height: 900 });
    });
    await fits(SETTLED_MS);
    // Checked for two of the widths only, one for each layout, because checking hundreds of words takes
    // seconds. Polled because a colour may be in transition.
    const isOuter = OUTER_WIDTHS.includes(width);
    if (isOuter) await expect.poll(() => axeFindings(page), options).toEqual([]);
    expect(await rawValues(page), `${name} at ${width} px`).toEqual([]);
    await picture(page, `${name}-light-${width}`, whole);
    if (!isOuter || !switchScheme) continue;
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = { ...options, message: `${name} at ${width} px, dark` };
    await expect.poll(() => axeFindings(page, 'colours'), dark).toEqual([]);
    await picture(page, `${name}-dark-${width}`, whole);
    await page.emulateMedia({ colorScheme: 'light' });
  }
}

/** Returns the elements that make the page wider than its window, outermost first. Empty if it fits. */
export function overflowingElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isWide = matchMedia('(min-width: 900px)').matches;
    const window = `window of ${clientWidth} px, laid out ${isWide ? 'wide' : 'narrow'}`;
    const beyond = [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth)
      .map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`);
    return [window, ...beyond];
  });
}

async function picture(page: Page, name: string, whole: boolean): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: whole });
  writeFileSync(join(PICTURES, `${name}.txt`), await page.locator('body').innerText());
}
