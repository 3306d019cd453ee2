import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules that depend on the colour scheme. */
const COLOUR_RULES = ['color-contrast'];

/** Returns axe-core's serious and critical findings under WCAG 2.2 AA, one line per element. */
export async function seriousFindings(page: Page, { only }: { only?: 'colours' } = {}): Promise<string[]> {
  // Evaluated instead of added as a script, so that the page's content policy stays strict.
  await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    ...(only === 'colours'
      ? { runOnly: { type: 'rule', values: COLOUR_RULES } }
      : {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
          // axe leaves this rule off by default, because it belongs to WCAG 2.2.
          rules: { 'target-size': { enabled: true } },
        }),
  };
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(document, options),
    options,
  );
  return (
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
      )
      // Ignores targets that a bar at the window's edge covers, because scrolling uncovers them.
      .filter((finding) => !(finding.startsWith('target-size') && finding.includes('partially obscured')))
  );
}
