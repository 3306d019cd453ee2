import type pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { emptyIntake, intakeConfig, openTestPool } from './deliveries.ts';

/** The API that the tests of a file use. */
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

/**
 * Starts an API with a source `prod`. Alerts of severity info belong to team shop and are not
 * investigated. Every test begins with an empty intake.
 */
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
    pool = openTestPool(app.database.url);
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
