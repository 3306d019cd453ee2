import { openBrowser } from '../../helpers/browser.ts';

declare global {
  /**
   * Set in the page: the time at which each group first led the list (ms since 1970), by the group's address.
   */
  var shownAt: Record<string, number>;
}

/** Opens the alerts page in a browser and records when each group first leads the list. */
export async function watchAlerts(url: string) {
  const browser = await openBrowser();
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.addInitScript(() => {
    globalThis.shownAt = {};
    const note = () => {
      const link = document.querySelector('[aria-label="Alert groups"] a[href*="/alerts/"]');
      const path = link?.getAttribute('href');
      if (path) globalThis.shownAt[path] ??= Date.now();
    };
    new MutationObserver(() => requestAnimationFrame(note)).observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
    });
  });
  await page.goto(`${url}/alerts`);
  await page.getByRole('heading', { name: 'Alerts' }).first().waitFor();
  return {
    page,
    /** Returns the time at which each group first led the list (ms since 1970), by the group's UUID. */
    async shown(): Promise<Map<string, number>> {
      const seen = await page.evaluate(() => globalThis.shownAt);
      return new Map(Object.entries(seen).map(([path, at]) => [idOf(path), at]));
    },
    close: () => browser.close(),
  };
}

/** Returns the UUID of a dashboard address, which holds a UUID or a global id. */
function idOf(path: string): string {
  const last = decodeURIComponent(path.split('/').at(-1)!.split('?')[0]!);
  return /^[0-9a-f-]{36}$/.test(last) ? last : Buffer.from(last, 'base64').toString().split(':')[1]!;
}
