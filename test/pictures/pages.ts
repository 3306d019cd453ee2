import type { Page } from 'playwright-core';
import type { Scene } from './scene.ts';

/** A picture of a page of the dashboard. */
export interface Picture {
  /** Name of the file, without scheme and ending. */
  readonly name: string;
  /** Pattern of the page's path, as web/src/app.tsx has it. */
  readonly route: string;
  readonly path: (ids: Scene['ids']) => string;
  /** Text that the page shows once it is complete. */
  readonly ready: string | RegExp;
  /** Brings the page into the state that the picture shows. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** Height of the window (px). Default: 900. */
  readonly height?: number;
}

const SUBMITTED = `Error rate of checkout above 5% for 5 minutes

service=checkout cluster=prod-eu-1 namespace=shop
Began some minutes after the deployment of 2.14.1.`;

const at = (path: string) => () => path;

export const PICTURES: readonly Picture[] = [
  { name: 'sessions', route: '/', path: at('/'), ready: 'Memory of search above 90%' },
  {
    ...{ name: 'submit', route: '/submit', path: at('/submit'), ready: 'Investigate', height: 720 },
    act: (page) => page.getByRole('textbox', { name: /^alert/i }).fill(SUBMITTED),
  },
  {
    ...{ name: 'session', route: '/sessions/:id', ready: 'Action required' },
    path: ({ finished }) => `/sessions/${finished}`,
    height: 1000,
  },
  {
    ...{ name: 'session-running', route: '/sessions/:id', ready: /What is known so far/ },
    path: ({ running }) => `/sessions/${running}`,
  },
  {
    ...{ name: 'session-waiting', route: '/sessions/:id', ready: 'deploys.roll_back' },
    path: ({ waiting }) => `/sessions/${waiting}`,
    height: 1020,
  },
  {
    ...{ name: 'session-chat', route: '/sessions/:id', ready: 'Action required' },
    path: ({ finished }) => `/sessions/${finished}`,
    act: (page) => page.getByText('Did customers notice before 11:55?').last().scrollIntoViewIfNeeded(),
  },
  {
    ...{ name: 'evidence', route: '/sessions/:id', ready: 'Action required' },
    path: ({ finished }) => `/sessions/${finished}#claim-2-1`,
    act: (page) => page.getByRole('dialog').locator('mark').first().waitFor(),
  },
  {
    ...{ name: 'trace', route: '/sessions/:id/trace', ready: 'KubernetesAgent' },
    path: ({ finished }) => `/sessions/${finished}/trace`,
  },
  {
    ...{ name: 'compare', route: '/compare', path: at('/'), ready: 'Memory of search above 90%' },
    act: async (page) => {
      // By address, because phones have no boxes to select sessions by.
      const links = ['CheckoutErrorRateHigh', 'Replica of orders'].map((title) =>
        page.locator('[role="row"]').getByRole('link', { name: title }).first().getAttribute('href'),
      );
      const ids = (await Promise.all(links)).map((href) => href!.split('/').at(-1));
      await page.goto(new URL(`/compare?ids=${ids.join(',')}`, page.url()).href);
      await page.getByRole('table', { name: 'Investigations' }).waitFor();
    },
  },
  { height: 640, name: 'alerts', route: '/alerts', path: at('/alerts'), ready: 'CheckoutErrorRateHigh' },
  {
    ...{ name: 'alert-group', route: '/alerts/:id', ready: 'CheckoutErrorRateHigh' },
    path: ({ group }) => `/alerts/${group}`,
    height: 800,
  },
  {
    name: 'silences',
    route: '/alerts/silences',
    path: at('/alerts/silences'),
    ready: 'Moving the batch nodes',
    height: 360,
  },
  { height: 640, name: 'approvals', route: '/approvals', path: at('/approvals'), ready: 'deploys.roll_back' },
  { name: 'review', route: '/review', path: at('/review'), ready: /Certificate of login/ },
  { name: 'calibration', route: '/review/calibration', path: at('/review/calibration'), ready: /Brier/ },
  {
    name: 'memory',
    route: '/review/memory',
    path: at('/review/memory'),
    ready: /connection pool is exhausted/,
    height: 720,
  },
  {
    ...{ name: 'cases', route: '/review/cases', ready: 'search-memory', height: 480 },
    path: at('/review/cases'),
  },
  { name: 'system', route: '/system', path: at('/system'), ready: 'MCP servers' },
  { name: 'usage', route: '/system/usage', path: at('/system/usage'), ready: 'claude-sonnet-4-5' },
  {
    ...{ name: 'schedules', route: '/system/schedules', ready: 'next run in', height: 480 },
    path: at('/system/schedules'),
  },
  {
    height: 480,
    name: 'tokens',
    route: '/system/tokens',
    path: at('/system/tokens'),
    ready: 'deploy-pipeline',
  },
  { name: 'audit', route: '/system/audit', path: at('/system/audit'), ready: 'token.create' },
  {
    ...{ name: 'notifications', route: '/system/notifications', ready: 'HTTP_503' },
    path: at('/system/notifications'),
  },
  {
    ...{ name: 'configuration', route: '/system/configuration', ready: 'agent_chains' },
    path: at('/system/configuration'),
  },
  {
    ...{ name: 'sign-in', route: '/', path: at('/'), ready: 'Memory of search above 90%', height: 360 },
    act: async (page) => {
      await page.context().setExtraHTTPHeaders({});
      await page.getByRole('link', { name: 'System' }).first().click();
      await page.getByText('You are signed out').waitFor();
    },
  },
];

/** Names of the pictures of messages in Slack. */
export const SLACK_PICTURES = ['slack-verdict', 'slack-approval', 'slack-progress'] as const;
