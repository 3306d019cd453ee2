import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { openBrowser } from '../helpers/browser.ts';
import { startFakeSlack } from '../helpers/slack/server.ts';
import type { FakeSlack, PostedMessage } from '../helpers/slack/types.ts';
import { APP_TOKEN, SIGNING_SECRET, SLACK_CHANNEL, SLACK_TOKEN } from '../helpers/slack/workspace.ts';
import { takePicture } from './camera.ts';
import { CHECKOUT, sendGroup } from './deliveries.ts';
import { scriptInvestigation, scriptRunning, waitingForApproval } from './investigations.ts';
import { SLACK_PICTURES } from './pages.ts';
import { BEN, PROVIDERS, SHOP, SHOP_ENV } from './shop.ts';
import { slackPage } from './slack-page.ts';

const OUT = resolve(process.env.PICTURES_OUT ?? 'docs/pictures');
const only = process.env.PICTURES_ONLY?.split(',');
const BEN_IN_SLACK = 'U0000BEN';
const SOON = { timeout: 60_000 };

describe('the pictures of messages in Slack', () => {
  let slack: FakeSlack;
  let app: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(OUT, { recursive: true });
    slack = await startFakeSlack();
    slack.users.set(BEN_IN_SLACK, { email: BEN });
    const { system, ...shop } = SHOP;
    const slackKeys = { enabled: true, channel: SLACK_CHANNEL, receive: 'http' };
    app = await startTestApp({
      ...{ ...shop, system: { ...system, slack: slackKeys }, providers: PROVIDERS, slackApiUrl: slack.url },
      env: {
        ...{ ...SHOP_ENV, SLACK_BOT_TOKEN: SLACK_TOKEN, SLACK_SIGNING_SECRET: SIGNING_SECRET },
        SLACK_APP_TOKEN: APP_TOKEN,
      },
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.stop();
    await slack?.close();
  });

  const make: Record<(typeof SLACK_PICTURES)[number], () => Promise<PostedMessage>> = {
    async 'slack-verdict'() {
      scriptInvestigation(app.llm);
      await sendGroup(app.url, CHECKOUT);
      return shown('tarsy_rate');
    },
    async 'slack-approval'() {
      const api = apiClient(app.url, { 'x-forwarded-user': BEN });
      await waitingForApproval(app.llm, api, 'Roll checkout back: error rate above 5% after 2.14.1');
      return shown('tarsy_approve');
    },
    async 'slack-progress'() {
      scriptRunning(app.llm);
      await slack.deliver(
        app.url,
        'command',
        slack.command(BEN_IN_SLACK, 'Latency of payments: p99 above 4 s for 10 minutes'),
      );
      return shown('3 tool calls');
    },
  };

  /** Waits for a message whose blocks contain the text. */
  async function shown(text: string): Promise<PostedMessage> {
    const found = () => slack.messages.find(({ blocks }) => JSON.stringify(blocks ?? []).includes(text));
    await expect.poll(found, SOON).toBeDefined();
    return found()!;
  }

  test.each(SLACK_PICTURES.filter((name) => only?.includes(name) ?? true))('%s', async (name) => {
    const html = slackPage(await make[name](), '2:26 PM');
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 720, height: 40 } });
      await page.setContent(html);
      const suffix = colorScheme === 'dark' ? '-dark' : '';
      await takePicture(page, join(OUT, `${name}${suffix}.webp`), { whole: true });
      await page.close();
    }
  });
});
