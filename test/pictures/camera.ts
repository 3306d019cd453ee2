import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Quality of the pictures in percent, at which text has no visible artefacts. */
const QUALITY = 80;

/** Writes a picture of the page as WebP, which needs a third of the bytes of PNG. `whole` takes more than the window. */
export async function takePicture(page: Page, file: string, { whole = false } = {}): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  const devtools = await page.context().newCDPSession(page);
  const size = whole ? await page.evaluate(() => document.documentElement.scrollHeight) : null;
  const width = page.viewportSize()!.width;
  const { data } = await devtools.send('Page.captureScreenshot', {
    ...{ format: 'webp', quality: QUALITY, captureBeyondViewport: whole },
    ...(size !== null && { clip: { x: 0, y: 0, width, height: size, scale: 1 } }),
  });
  await devtools.detach();
  writeFileSync(file, Buffer.from(data, 'base64'));
}
