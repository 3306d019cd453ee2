import type pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { connect, emptyIntake, intakeConfig } from './deliveries.ts';

/** What the tests of a file ask. */
export interface IntakeApi {
  readonly app: TestApp;
  readonly pool: pg.Pool;
  query(document: string, variables?: Record<string, unknown>): Promise<IntakeAnswer>;
}

export interface IntakeAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: each test looks at another answer
  data: any;
  errors?: { message: string; extensions: { code: string } }[];
}

/** An API with a source `prod`, whose alerts of severity info are the team shop's and not investigated; empty for each test of the file. */
export function intakeApi(): IntakeApi {
  let app: TestApp;
  let pool: pg.Pool;
  beforeAll(async () => {
    app = await startTestApp({
      role: 'api',
      intake: intakeConfig({
        rules: [{ name: 'quiet', match: ['severity="info"'], investigate: 'never', team: 'shop' }],
      }),
    });
    pool = connect(app.database.url);
  });
  afterAll(async () => {
    await pool.end();
    await app.stop();
  });
  beforeEach(() => emptyIntake(pool));
  return {
    get app() {
      return app;
    },
    get pool() {
      return pool;
    },
    async query(document, variables = {}) {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: document, variables }),
      });
      return (await response.json()) as IntakeAnswer;
    },
  };
}
