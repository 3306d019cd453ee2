import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openBrowser } from '../helpers/browser.ts';
import { takePicture } from './camera.ts';
import { PICTURES, type Picture } from './pages.ts';
import { openScene, type Scene } from './scene.ts';
import { ANA } from './shop.ts';

/** Folder of the pictures, and whether to take each page at each width. `scripts/pictures.ts` sets both. */
const OUT = resolve(process.env.PICTURES_OUT ?? 'docs/pictures');
const WIDTHS = process.env.PICTURES_WIDTHS === 'all' ? [390, 1024, 1440, 1920] : [1440];
const SCHEMES = ['light', 'dark'] as const;
const only = process.env.PICTURES_ONLY?.split(',');

describe('the pictures of the dashboard', () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(OUT, { recursive: true });
    [scene, browser] = await Promise.all([openScene(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.close();
  });

  test.each(PICTURES.filter(({ name }) => only?.includes(name) ?? true))('$name', async (picture) => {
    for (const colorScheme of SCHEMES)
      for (const width of WIDTHS) await take(picture, { colorScheme, width });
  });

  async function take(
    picture: Picture,
    look: { colorScheme: 'light' | 'dark'; width: number },
  ): Promise<void> {
    const { name, path, ready, act, height = 900 } = picture;
    const { colorScheme, width } = look;
    const context = await browser.newContext({
      ...{
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width, height },
        timezoneId: 'UTC',
        locale: 'en-GB',
      },
      extraHTTPHeaders: { 'x-forwarded-user': ANA },
    });
    const page = await context.newPage();
    await page.goto(`${scene.app.url}${path(scene.ids)}`);
    await page.getByText(ready).first().waitFor();
    await page.waitForLoadState('networkidle').catch(() => {}); // a stream stays open on live pages
    await act?.(page);
    const suffix = WIDTHS.length > 1 ? `-${colorScheme}-${width}` : colorScheme === 'dark' ? '-dark' : '';
    await takePicture(page, join(OUT, `${name}${suffix}.webp`), { whole: WIDTHS.length > 1 });
    await context.close();
  }
});
