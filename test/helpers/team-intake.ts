import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import {
  alertBody,
  type Delivered,
  emptyIntake,
  intakeConfig,
  openTestPool,
  sendDelivery,
} from './deliveries.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test looks at another answer
type Answered = any;

/** An API with the teams alpha (rex, zoe) and beta (bea, zoe), an admin ada, and tom, who is in no team. */
export interface TeamIntake {
  readonly app: TestApp;
  readonly pool: pg.Pool;
  /** Runs a query as the user `who`, or with the token of this name. */
  ask(who: string, query: string, variables?: object): Promise<Answered>;
  submit(who: string, input: object): Promise<Answered>;
  deliver(token: string, body: Record<string, unknown>): Promise<Delivered>;
  silenceBy(who: string): Promise<{ id: string; teams: string[] | null }>;
}

const SUBMIT = `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename
  ... on SubmitAlertSuccess { session { id team } } ... on Error { code message } ... on ValidationError { field }
  ... on AlertNotInvestigatedError { decision { outcome session { id } group { id } silence { id } } } } }`;
const SILENCE = `mutation ($input: CreateSilenceInput!) { createSilence(input: $input) {
  ... on CreateSilenceSuccess { silence { id teams } } ... on Error { message } } }`;

/**
 * Starts the API, with a source `prod`. Alerts with the label `of` belong to the team of that name, those of the type
 * `betas` to beta. Every test begins with an empty intake.
 */
export function teamIntake(): TeamIntake {
  let app: TestApp;
  let pool: pg.Pool;
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    const named = (team: string) => ({ name: team, match: [`of="${team}"`], team });
    app = await startTestApp({
      role: 'api',
      auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
      access: {
        roles: { responder: { users: ['*'] }, admin: { users: ['ada'] } },
        teams: { alpha: { users: ['rex', 'zoe'] }, beta: { users: ['bea', 'zoe'] } },
      },
      chains: {
        betas: {
          alert_types: ['betas'],
          team: 'beta',
          stages: [{ name: 's', agents: [{ name: 'TestAgent' }] }],
        },
      },
      intake: intakeConfig({
        sources: { prod: { type: 'generic', api_tokens: true } },
        rules: ['alpha', 'beta'].map(named),
        storm: { groups: 2, within: '5m' },
      }),
    });
    pool = openTestPool(app.database.url);
    for (const team of ['alpha', 'beta', null]) {
      const input = { name: String(team), scopes: ['SUBMIT_ALERTS'], team };
      const { createApiToken } = await ask(
        'ada',
        `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) {
      __typename ... on CreateApiTokenSuccess { secret apiToken { team } } ... on Error { message } } }`,
        { input },
      );
      expect(createApiToken.apiToken).toEqual({ team });
      tokens[String(team)] = createApiToken.secret;
    }
  });
  afterAll(async () => {
    await pool.end();
    await app.stop();
  });
  beforeEach(() => emptyIntake(pool));

  async function ask(who: string, query: string, variables: object = {}): Promise<Answered> {
    const headers = who in tokens ? { authorization: `Bearer ${tokens[who]}` } : { 'x-forwarded-user': who };
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: object | null; errors?: object[] };
    return errors ? { ...data, errors } : data;
  }

  return {
    get app() {
      return app;
    },
    get pool() {
      return pool;
    },
    ask,
    submit: async (who, input) =>
      (await ask(who, SUBMIT, { input: { data: 'disk full', ...input } })).submitAlert,
    deliver: (token, body) => sendDelivery(app.url, alertBody(body), { token: tokens[token]! }),
    async silenceBy(who) {
      const input = {
        matchers: ['host="db-03"'],
        comment: `as ${who} wants`,
        endsAt: '2100-01-01T00:00:00Z',
      };
      return (await ask(who, SILENCE, { input })).createSilence.silence;
    },
  };
}
