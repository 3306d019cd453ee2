import type { Page } from 'playwright-core';

/** Functions that the observer in the page calls. */
interface Watched {
  reportMisdeed(what: string): void;
  pwned(): void;
}

/**
 * Reports every payload script that runs, and every forbidden element as soon as it appears, even for one
 * frame of a streaming answer. Must be called before the page is opened.
 */
export async function watchForPayloads(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const outside = globalThis as unknown as Watched;
    outside.pwned = () => outside.reportMisdeed('a payload ran');
    const forbidden =
      'script, img, image, iframe, frame, object, embed, base, meta, link, style, video, audio, source, track, ' +
      'math, marquee, template, foreignObject, animate, set, use, feImage, [srcdoc], [formaction], [srcset]';
    const loads = /^(href|xlink:href|src|action|data|poster|background|cite|ping|style)$/;
    const check = (element: Element): void => {
      if (element.matches(forbidden)) outside.reportMisdeed(`element: ${element.outerHTML.slice(0, 200)}`);
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name) || (loads.test(name) && /(javascript|vbscript|data):|url\(/i.test(value))) {
          outside.reportMisdeed(`attribute: ${name}=${value.slice(0, 100)}`);
        }
      }
      const href = element.getAttribute('href');
      if (href === null || element.closest('header')) return;
      const own =
        /^(\/|\/(sessions|alerts|compare|submit|system)\b.*|#[\w-]*|\?.*)$/.test(href) &&
        !href.startsWith('//');
      const away = /^(https?|mailto):/.test(href) && /noopener/.test(element.getAttribute('rel') ?? '');
      if (!own && !away) outside.reportMisdeed(`link: ${href}`);
    };
    const observer = new MutationObserver((records) => {
      for (const { type, target, addedNodes } of records) {
        const roots = type === 'attributes' ? [target] : [...addedNodes];
        for (const root of roots) {
          // The page's head belongs to the dashboard.
          if (!(root instanceof Element) || root.closest('head') || root === document.documentElement)
            continue;
          check(root);
          if (type === 'childList') for (const inner of root.querySelectorAll('*')) check(inner);
        }
      }
    });
    document.addEventListener('DOMContentLoaded', () =>
      observer.observe(document.body, { childList: true, subtree: true, attributes: true }),
    );
  });
}

/** Opens every collapsed part of the page, until none is left. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(null)));
    const seen = new WeakSet<Element>();
    for (let round = 0; round < 50; round += 1) {
      const closed = [
        ...document.querySelectorAll('main button[aria-expanded="false"]:not([aria-haspopup])'),
      ];
      const fresh = closed.filter((button) => !seen.has(button));
      if (fresh.length === 0) return;
      for (const button of fresh) {
        seen.add(button);
        (button as HTMLElement).click();
      }
      await frame();
      await frame();
    }
  });
}
