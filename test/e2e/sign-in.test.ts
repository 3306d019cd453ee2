import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { findOauth2Proxy, type Oauth2Proxy, startOauth2Proxy } from '../helpers/oauth2-proxy.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { type Refusal, type SignInProxy, startSignInProxy } from '../helpers/sign-in-proxy.ts';

/** Each test signs in twice, and waits for a sign-in to expire. */
vi.setConfig({ testTimeout: 120_000 });

const program = findOauth2Proxy();
const SIGNED_OUT = 'this page no longer updates';
const PASSWORD = 'correct horse';

describe.skipIf(NO_BROWSER)(browserSuite('a sign-in that expires'), () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] } });
  });
  afterAll(() => dashboard.stop());

  /** Starts a session whose model stops at the gate in the middle of its analysis. */
  async function streamingSession(gate: string): Promise<string> {
    const { llm, url } = dashboard.app;
    llm.script([{ text: `Before the ${gate}, ` }, { gate }, { text: `and after the ${gate}.` }], {
      text: `All of ${gate}.`,
    });
    const id = await apiClient(url, { 'x-forwarded-user': 'ana' }).submit(`alert of ${gate}`);
    await llm.reached(gate);
    return id;
  }

  /** Asks a question about an ended session. The answer contains a claim. */
  async function answerThatClaims(id: string, text: string): Promise<void> {
    const { llm, url, database } = dashboard.app;
    const api = apiClient(url, { 'x-forwarded-user': 'ana' });
    llm.script({ text: `Answered: ${text}` });
    const stage = await askQuestion(api, id, `What of ${text}?`);
    await waitForStageEnd(api, id, stage);
    const claim = { kind: 'OBSERVATION', text, status: 'UNSUPPORTED', problem: null };
    const pool = openTestPool(database.url);
    await pool.query(
      `insert into answer_reports (stage_id, session_id, evidence_score, claims)
       select id, session_id, 0, $1::jsonb from stages
       where type = 'CHAT' and id not in (select stage_id from answer_reports)`,
      [JSON.stringify([{ ...claim, absence: false, onlyUntrusted: false, citations: [] }])],
    );
    await pool.end();
  }

  /**
   * Signs in, opens the path, lets the sign-in expire, signs in again, and asserts that the page is at the
   * same place.
   */
  async function expireWhileStreaming(
    url: string,
    gate: string,
    { signIn, expire }: { signIn: (page: Page) => Promise<void>; expire: () => void },
  ): Promise<void> {
    const { llm } = dashboard.app;
    const id = await streamingSession(gate);
    const { page, close } = await dashboard.open({}, url);
    const address = `${url}/sessions/${encodeURIComponent(id)}#event-1`;
    await page.goto(url);
    await signIn(page);
    await page.getByTitle('Signed in as\nana').waitFor();
    await page.goto(address);
    await page.getByText(`Before the ${gate},`).waitFor();
    expect(page.url()).toBe(address);
    expire();
    await page.getByText(SIGNED_OUT).waitFor({ timeout: 90_000 });
    // Loaded content stays readable after the sign-in has expired.
    expect(await page.getByText(`Before the ${gate},`).count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page);
    await page.getByText(`Before the ${gate},`).waitFor();
    expect(page.url()).toBe(address);
    expect(await page.getByText(SIGNED_OUT).count()).toBe(0);
    llm.open(gate);
    await page.getByText(`All of ${gate}.`).first().waitFor();
    await close();
  }

  describe.each<Refusal>(['401', '302'])('behind a proxy that answers %s', (refusal) => {
    let proxy: SignInProxy;
    beforeAll(async () => {
      proxy = await startSignInProxy(dashboard.app.url, refusal);
    });
    afterAll(() => proxy.close());
    const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in as ana' }).click();

    test('leads to the sign-in and back to the same place of the same page', () =>
      expireWhileStreaming(proxy.url, `stub-${refusal}`, { signIn, expire: proxy.expire }));

    test('ends for a page when its reader signs in on another one, and keeps typed text', async () => {
      const { llm } = dashboard.app;
      llm.script({ text: 'Analysed.' }, { text: `Summary of ${refusal}.` });
      const first = await dashboard.open({}, proxy.url);
      await first.page.goto(`${proxy.url}/submit`);
      await signIn(first.page);
      const field = first.page.getByRole('textbox', { name: /^alert/i });
      await field.fill(`typed at ${refusal}`);
      proxy.expire();
      await first.page.getByText(SIGNED_OUT).waitFor();
      await first.page.getByRole('button', { name: 'Investigate' }).click();
      await first.page.getByText('The alert was not submitted.').waitFor();
      const second = await first.page.context().newPage();
      await second.goto(proxy.url);
      await signIn(second);
      await first.page.getByText(SIGNED_OUT).waitFor({ state: 'detached' });
      expect(await field.inputValue()).toBe(`typed at ${refusal}`);
      // The text stays too if the user signs in on this page.
      proxy.expire();
      await first.page.getByText(SIGNED_OUT).waitFor();
      await first.page.getByRole('button', { name: 'Sign in' }).click();
      await signIn(first.page);
      await expect.poll(() => field.inputValue()).toBe(`typed at ${refusal}`);
      await first.page.getByRole('button', { name: 'Investigate' }).click();
      await first.page.getByText(`Summary of ${refusal}.`).first().waitFor();
      await first.close();
    });
  });

  test('with a live connection, reads what it missed once its reader signs in elsewhere', async () => {
    const { llm } = dashboard.app;
    const proxy = await startSignInProxy(dashboard.app.url, '401');
    const id = await streamingSession('lapse');
    const { page: list, close } = await dashboard.open({}, proxy.url);
    await list.goto(proxy.url);
    await list.getByRole('button', { name: 'Sign in as ana' }).click();
    await list.getByRole('button', { name: 'Cancel alert of lapse' }).waitFor();
    const session = await list.context().newPage();
    await session.goto(`${proxy.url}/sessions/${encodeURIComponent(id)}`);
    await session.getByText('Before the lapse,').waitFor();
    const trace = await list.context().newPage();
    await trace.goto(`${proxy.url}/sessions/${encodeURIComponent(id)}/trace`);
    await trace.getByText('Running', { exact: true }).first().waitFor();
    for (const page of [list, session, trace]) await page.getByText('Live', { exact: true }).waitFor();
    proxy.lapse();
    llm.open('lapse');
    await session.getByText(SIGNED_OUT).waitFor();
    await list.getByText(SIGNED_OUT).waitFor();
    await apiClient(dashboard.app.url, { 'x-forwarded-user': 'ana' }).waitFor(id, ({ status }) =>
      ENDED.has(status),
    );
    // Events still arrive through the open socket, but reads are refused.
    await session.getByText('All of lapse.').first().waitFor();
    expect(await session.getByRole('region', { name: 'Review' }).count()).toBe(0);
    await streamingSession('lapse-2');
    const other = await list.context().newPage();
    await other.goto(proxy.url);
    await other.getByRole('button', { name: 'Sign in as ana' }).click();
    await session.getByRole('region', { name: 'Review' }).waitFor();
    await list.getByRole('row', { name: /alert of lapse/ }).waitFor();
    await list.getByRole('button', { name: 'Cancel alert of lapse-2' }).waitFor();
    await trace.getByText('Completed', { exact: true }).first().waitFor();
    for (const page of [list, session]) await page.getByText(SIGNED_OUT).waitFor({ state: 'detached' });
    llm.open('lapse-2');
    await close();
    await proxy.close();
  });

  test("with a live connection, also reads an answer's claims afterwards", async () => {
    const { llm, url } = dashboard.app;
    llm.script({ text: 'Analysed.' }, { text: 'In short.' });
    const api = apiClient(url, { 'x-forwarded-user': 'ana' });
    const id = await api.submit('alert of answers');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    await answerThatClaims(id, '/var is full');
    const proxy = await startSignInProxy(url, '401');
    const { page, close } = await dashboard.open({}, proxy.url);
    await page.goto(`${proxy.url}/sessions/${encodeURIComponent(id)}`);
    await page.getByRole('button', { name: 'Sign in as ana' }).click();
    const claims = page.getByRole('region', { name: 'Checked claims of the answer' });
    await claims.getByText('/var is full').waitFor();
    proxy.lapse();
    await answerThatClaims(id, '/opt is empty');
    await page.getByText(SIGNED_OUT).waitFor();
    const other = await page.context().newPage();
    await other.goto(proxy.url);
    await other.getByRole('button', { name: 'Sign in as ana' }).click();
    await claims.getByText('/opt is empty').waitFor();
    await close();
    await proxy.close();
  });

  test('looks correct when signed in and signed out', async () => {
    const proxy = await startSignInProxy(dashboard.app.url, '401');
    const { page, close } = await dashboard.open({ reducedMotion: 'reduce' }, proxy.url);
    await page.goto(proxy.url);
    await page.getByRole('button', { name: 'Sign in as ana' }).click();
    await page.getByTitle('Signed in as\nana').waitFor();
    await expectPageFits(page, 'signed-in', { whole: false });
    await page.getByRole('button', { name: 'Display settings' }).click();
    await page.getByRole('menu').getByText('Signed in as ana').waitFor();
    await expectPageFits(page, 'signed-in-menu', { whole: false });
    await page.keyboard.press('Escape');
    proxy.expire();
    await page.getByText(SIGNED_OUT).waitFor();
    await expectPageFits(page, 'signed-out', { whole: false });
    await close();
    await proxy.close();
  });

  describe.skipIf(program === null)(
    'behind a real oauth2-proxy (skipped: there is none; scripts/oauth2-proxy.sh builds one)',
    () => {
      let proxy: Oauth2Proxy;
      afterAll(() => proxy?.stop());

      async function signIn(page: Page): Promise<void> {
        await page.getByRole('textbox', { name: 'User name' }).fill('ana');
        await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      }

      test("leads to the proxy's page and back to the same place of the same page", async () => {
        // Long enough to sign in and to see the stream, even on a busy machine.
        proxy = await startOauth2Proxy(
          program!,
          dashboard.app.url,
          { ana: PASSWORD },
          { cookieExpire: '20s' },
        );
        await expireWhileStreaming(proxy.url, 'oauth2', { signIn, expire: () => undefined });
      });

      test("shows TARSy's own page with the error", async () => {
        const open = await startOauth2Proxy(program!, dashboard.app.url, { ana: PASSWORD });
        const { page, close } = await dashboard.open({}, open.url);
        await page.goto(`${open.url}/submit`);
        await page.getByRole('heading', { name: 'Sign in to TARSy' }).waitFor();
        await page.getByRole('button', { name: 'Sign in with GitHub' }).waitFor();
        await expectPageFits(page, 'sign-in');
        await page.getByRole('textbox', { name: 'User name' }).fill('ana');
        await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('alert').getByText('User name or password is wrong.').waitFor();
        await expectPageFits(page, 'sign-in-wrong');
        await page.goto(`${open.url}/oauth2/callback?error=access_denied`);
        await page.getByRole('heading', { name: 'Forbidden' }).waitFor();
        await expectPageFits(page, 'sign-in-error');
        await close();
        await open.stop();
      });
    },
  );
});
