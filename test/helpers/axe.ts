import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds that is serious or critical by the rules of WCAG 2.2 AA, one line for each element. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the content policy of the page stays as strict as it is.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      // Off by default: it is of WCAG 2.2.
      rules: { 'target-size': { enabled: true } },
    }),
  );
  return (
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
      )
      // What a bar at the window's edge covers is not small: it comes out from below by scrolling.
      .filter((finding) => !(finding.startsWith('target-size') && finding.includes('partially obscured')))
  );
}
