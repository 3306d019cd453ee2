import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Quality of the pictures in percent, at which text has no visible artefacts. */
const QUALITY = 80;

/** Writes a picture of the page as WebP, which needs a third of the bytes of PNG. `whole` makes the window as high as the page. */
export async function takePicture(page: Page, file: string, { whole = false } = {}): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  if (whole) await fitWindow(page);
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await devtools.detach();
  writeFileSync(file, Buffer.from(data, 'base64'));
}

/** Text out of view is not painted, and the bar at the top follows the scroll position. The window therefore shows all. */
async function fitWindow(page: Page): Promise<void> {
  const { width, height } = page.viewportSize()!;
  const content = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(content, height) });
}
