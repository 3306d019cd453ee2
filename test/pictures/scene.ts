import { apiClient } from '../helpers/api.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { openTestPool } from '../helpers/deliveries.ts';
import { CHECKOUT, CHECKOUT_LATER, sendGroup, sendOthers } from './deliveries.ts';
import { fillHistory } from './history.ts';
import { chat, ended, running, scriptInvestigation, waitingForApproval } from './investigations.ts';
import { fillNotifications } from './notifications.ts';
import { ANA, BEN, MIRA, PROVIDERS, SHOP, SHOP_ENV } from './shop.ts';

/** A started TARSy with the data that the pictures show. */
export interface Scene {
  readonly app: TestApp;
  /** UUIDs of the sessions and the alert group of the pictures. */
  readonly ids: {
    readonly finished: string;
    readonly running: string;
    readonly waiting: string;
    readonly group: string;
  };
  close(): Promise<void>;
}

const TOKENS = [
  ['deploy-pipeline', ['READ', 'SUBMIT_ALERTS']],
  ['status-page', ['READ']],
] as const;

/** Starts TARSy as an online shop uses it: with investigations that ended, run and wait, and some weeks of history. */
export async function openScene(): Promise<Scene> {
  const app = await startTestApp({ ...SHOP, env: SHOP_ENV, providers: PROVIDERS, version: '0.2.0' });
  const pool = openTestPool(app.database.url);
  const as = (user: string) => apiClient(app.url, { 'x-forwarded-user': user });
  await fillHistory(pool);
  await pool.query(
    `insert into budget_uses (name, key, period, per, used_usd) values ('all-models', '', date_trunc('month', now() at time zone 'UTC'), 'month', 20.5)`,
  );
  await as(ANA).query(
    `mutation ($endsAt: DateTime!) { createSilence(input: { matchers: ["alertname=NodeNotReady", "node=~\\"node-1.\\""],
       comment: "Moving the batch nodes to the new kernel", endsAt: $endsAt }) { __typename } }`,
    { endsAt: new Date(Date.now() + 5 * 3_600_000).toISOString() },
  );
  for (const [name, scopes] of TOKENS)
    await as(ANA).query(
      `mutation ($name: String!, $scopes: [TokenScope!]!) { createApiToken(input: { name: $name, scopes: $scopes }) { __typename } }`,
      { name, scopes },
    );
  await sendOthers(app.url);

  scriptInvestigation(app.llm);
  const delivered = await sendGroup(app.url, CHECKOUT);
  const finished = Buffer.from(`Session:${delivered.session}`).toString('base64');
  await ended(as(ANA), finished);
  await chat(app.llm, as(BEN), finished);
  await sendGroup(app.url, CHECKOUT);
  await sendGroup(app.url, CHECKOUT_LATER);
  await as(MIRA).query(
    `mutation ($id: ID!) { reviewSessions(input: { sessionIds: [$id], action: CLAIM }) { __typename } }`,
    { id: finished },
  );
  const waiting = await waitingForApproval(
    app.llm,
    as(BEN),
    'Roll checkout back: error rate above 5% after 2.14.1',
  );
  const still = await running(app.llm, as(BEN), 'Latency of payments: p99 above 4 s for 10 minutes');
  const uuid = (id: string) => Buffer.from(id, 'base64').toString().split(':')[1]!;
  await fillNotifications(pool, uuid(waiting), uuid(finished));
  await pool.end();
  return {
    app,
    ids: {
      finished: uuid(finished),
      running: uuid(still),
      waiting: uuid(waiting),
      group: delivered.body.decisions![0]!.group,
    },
    close: () => app.stop(),
  };
}
