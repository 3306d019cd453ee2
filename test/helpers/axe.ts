import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Returns axe-core's findings under WCAG 2.2 AA and its best practices, except minor ones, one line per element.
 * @param only `colours` runs only the rules about colours
 */
export async function axeFindings(page: Page, only?: 'colours'): Promise<string[]> {
  // Evaluated instead of added as a script, so that the page's content policy stays strict.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  // An open menu hides the page and its landmarks; a tooltip belongs to its control.
  const isOverlayOpen = (await page.locator('.MuiPopover-root, [role="tooltip"]').count()) > 0;
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    ...(only === 'colours'
      ? { runOnly: { type: 'rule', values: COLOUR_RULES } }
      : {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
          // axe leaves this rule off by default, because it belongs to WCAG 2.2.
          rules: { 'target-size': { enabled: true }, region: { enabled: !isOverlayOpen } },
        }),
  };
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(document, options),
    options,
  );
  return (
    violations
      .filter(({ impact }) => impact !== 'minor')
      .flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, html, failureSummary }) =>
            `${id}: ${target.join(' ')}: ${html.slice(0, 120)}: ${failureSummary}`,
        ),
      )
      // Ignores targets that a bar at the window's edge covers, because scrolling uncovers them.
      .filter((finding) => !(finding.startsWith('target-size') && finding.includes('partially obscured')))
  );
}
