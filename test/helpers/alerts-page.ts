import type pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Dashboard, type GuardedPage, startDashboard } from './dashboard.ts';
import { emptyIntake, intakeConfig, openTestPool } from './deliveries.ts';

/** The API and the page of an alerts suite. All are set once the suite's `beforeAll` hook has run. */
export interface AlertsSuite {
  /** Base URL of the server. */
  readonly url: string;
  readonly page: Page;
  readonly pool: pg.Pool;
  readonly open: Dashboard['open'];
}

/**
 * Starts the application in the role `api`, without a worker, so that a test itself decides what is
 * investigated. Before each test, removes stored deliveries, sessions and silences, and opens a page.
 * @param intake configuration of the intake in addition to the source `prod`
 */
export function alertsSuite(intake: Record<string, unknown> = {}): AlertsSuite {
  let dashboard: Dashboard;
  let guarded: GuardedPage;
  let pool: pg.Pool;
  beforeAll(async () => {
    dashboard = await startDashboard({ role: 'api', intake: intakeConfig(intake) });
    pool = openTestPool(dashboard.app.database.url);
  });
  afterAll(async () => {
    await pool.end();
    await dashboard.stop();
  });
  beforeEach(async () => {
    await emptyIntake(pool);
    guarded = await dashboard.open();
    return () => guarded.close();
  });
  return {
    get url() {
      return dashboard.app.url;
    },
    get page() {
      return guarded.page;
    },
    get pool() {
      return pool;
    },
    get open() {
      return dashboard.open;
    },
  };
}
