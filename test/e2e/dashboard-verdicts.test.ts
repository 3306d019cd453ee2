import { describe, expect, test } from 'vitest';
import { alertsSuite } from '../helpers/alerts-page.ts';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { alertBody, endSession, sendDelivery } from '../helpers/deliveries.ts';
import { insertRow } from '../helpers/http-api.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { insertReport } from '../helpers/report.ts';

const SOON = { timeout: 30_000 };
const PODS = Array.from({ length: 8 }, (_, index) => `api-7d4f-${index}`);
const TITLE = /^Pod is crash looping: Pod shop\/api-7d4f-\d$/;

describe.skipIf(NO_BROWSER)(browserSuite('titles and verdicts'), { timeout: 120_000 }, () => {
  const suite = alertsSuite();

  /** Delivers alerts with the same text about eight pods. Returns the group and session of the first. */
  async function deliver() {
    const delivered = [];
    for (const pod of PODS)
      delivered.push(
        await sendDelivery(
          suite.url,
          alertBody({
            ...{ title: 'Pod is crash looping.', fingerprint: pod, group: pod },
            labels: { alertname: 'KubePodCrashLooping', namespace: 'shop', pod },
          }),
        ),
      );
    const [first] = delivered;
    return { group: first!.body.decisions![0]!.group, session: first!.session! };
  }

  test('eight alerts with the same text are eight different rows, of alerts and of sessions', async () => {
    await deliver();
    const { page } = suite;
    const titles = () => page.getByRole('listitem').getByRole('link', { name: TITLE }).allTextContents();
    for (const path of ['/alerts', '/']) {
      await page.goto(`${suite.url}${path}`);
      await expect.poll(async () => new Set(await titles()).size, SOON).toBe(PODS.length);
    }
  });

  test('an investigation that requires action is nowhere shown as completed alone', async () => {
    const { group, session } = await deliver();
    const { page, pool } = suite;
    await endSession(pool, session);
    await insertReport(pool, session, { headline: 'The pool is too small.' });
    await insertRow(pool, 'llm_interactions', {
      ...{ session_id: session, type: 'ITERATION', provider: 'scripted', model_name: 'scripted-1' },
      ...{ duration_ms: 2_100, request: '{}', response: '{}', created_at: new Date() },
      ...{ input_tokens: 1_000, output_tokens: 200, total_tokens: 1_200, cost_usd: 0.5 },
    });
    const places = {
      alerts: '/alerts',
      group: `/alerts/${group}`,
      usage: '/system/usage',
      trace: `/sessions/${session}/trace`,
    };
    for (const [name, path] of Object.entries(places)) {
      await page.goto(`${suite.url}${path}`);
      await page.getByText('Action required').first().waitFor();
      expect(await page.getByText('Completed', { exact: true }).count(), name).toBe(0);
      await expectPageFits(page, `verdict-${name}`);
    }
    await page.goto(`${suite.url}/sessions/${session}`);
    await expect
      .poll(() => page.title(), SOON)
      .toMatch(/Action required: Pod is crash looping: Pod shop\/api-7d4f-0 · TARSy$/);
  });
});
