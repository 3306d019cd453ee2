import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { seriousFindings } from './axe.ts';
import { rawValues } from './raw-values.ts';

/** Where pictures go; unset: none are taken. */
const PICTURES = process.env.DASHBOARD_PICTURES;
/** A phone, a small and a usual laptop, a wide screen, in CSS pixels. */
const WIDTHS = [390, 1024, 1440, 1920];

/** On a busy machine, too. */
const SETTLED_MS = 30_000;
const RESIZED_MS = 5_000;

export const SCHEMES = ['light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

/**
 * What the page shows now fits every width, hinders nobody and speaks in words. `name` is what the pictures are called;
 * `whole`: they show the page to its end, not only what is in the window.
 */
export async function expectFit(
  page: Page,
  name: string,
  scheme: Scheme,
  { whole = true } = {},
): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
    // Not at once: what floats finds its new place after the window has its new width.
    const options = { message: `${name} at ${width} px`, timeout: SETTLED_MS };
    const fits = (timeout: number) =>
      expect.poll(() => beyondTheEdge(page), { ...options, timeout }).toEqual([]);
    // Chromium, on a busy machine, at times keeps some styles of the size before until conditions on the size change again.
    await fits(RESIZED_MS).catch(async () => {
      await page.setViewportSize({ width: width < 900 ? 1200 : 600, height: 900 });
      await page.setViewportSize({ width, height: 900 });
    });
    await fits(SETTLED_MS);
    // The two layouts; a look at each of hundreds of words takes seconds. A colour on its way to another passes.
    if (width === 390 || width === 1920) await expect.poll(() => seriousFindings(page), options).toEqual([]);
    expect(await rawValues(page), `${name} at ${width} px`).toEqual([]);
    await picture(page, `${name}-${scheme}-${width}`, whole);
  }
}

/** What makes the page wider than its window, from the outside in; nothing when it is not. */
export function beyondTheEdge(page: Page): Promise<string[]> {
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
