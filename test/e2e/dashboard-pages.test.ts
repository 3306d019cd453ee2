import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { seedActive, seedHistory } from '../helpers/dashboard-data.ts';
import { alertBody, intakeConfig, send } from '../helpers/deliveries.ts';
import { expectFit, SCHEMES } from '../helpers/look.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const ALERT = JSON.stringify({
  labels: { alertname: 'DiskAlmostFull', instance: 'db-03', severity: 'critical' },
  annotations: { summary: '/var on db-03 is 94 % full', runbook: 'https://runbooks.example.com/disk' },
});
const ANALYSIS = `## Cause

Log rotation of **api** failed since Tuesday: \`logrotate\` stops at a broken line.

| volume | used | grows by |
|---|---|---|
| /var | 94 % | 2.1 GiB/h |

1. Repair \`/etc/logrotate.d/api\`.
2. Run \`logrotate --force /etc/logrotate.d/api\`.

\`\`\`sh
journalctl --vacuum-size=500M
\`\`\`

See [the runbook](https://runbooks.example.com/disk).`;

describe.skipIf(NO_BROWSER)(browserSuite('every page'), () => {
  let dashboard: Dashboard;
  let session: string;
  beforeAll(async () => {
    const broken = { transport: { type: 'stdio', command: '/nonexistent/mcp-server' } };
    dashboard = await startDashboard({
      mcpServers: { broken },
      intake: intakeConfig({ rules: [{ name: 'quiet', match: ['severity="info"'], group_wait: '1h' }] }),
      agents: { Unlucky: { mcp_servers: ['broken'] } },
    });
    const { app } = dashboard;
    app.llm.script(
      [
        { thinking: 'The volume first, then what grows on it.' },
        toolCall('tools.echo', { text: 'db-03 /var 94 %' }),
      ],
      { text: ANALYSIS },
      { text: 'Log rotation of **api** is broken: /var of db-03 is full in about 3 hours.' },
    );
    const api = apiClient(app.url);
    session = await api.submit(ALERT);
    await api.waitFor(session, ({ status }) => ENDED.has(status));
    const pool = new pg.Pool({ connectionString: app.database.url, max: 2 });
    await send(app.url, alertBody({ severity: 'info' }));
    await seedHistory(pool, 40);
    await seedActive(pool, { running: 3, queued: 4 });
    await pool.end();
  });
  afterAll(() => dashboard.stop());

  const pages: [name: string, path: () => string, ready: string][] = [
    ['sessions', () => '/', 'nav[aria-label="Pages of the history"]'],
    ['sessions-found', () => '/?q=db-03&status=completed&status=failed&sort=duration', 'mark'],
    ['sessions-none', () => '/?q=no-such-words', 'text=No finished session matches'],
    ['submit', () => '/submit', 'text=Investigate'],
    ['submit-again', () => `/submit?from=${session}`, 'text=as it was submitted'],
    ['system', () => '/system', 'text=Healthy'],
    ['alerts', () => '/alerts', 'text=told of'],
    ['alerts-none', () => '/alerts?state=RESOLVED', 'text=No alerts'],
    ['session', () => `/sessions/${session}`, 'text=Log rotation'],
    ['trace', () => `/sessions/${session}/trace`, 'text=investigation'],
    ['session-missing', () => '/sessions/nothing', 'text=There is no such session'],
    ['missing', () => '/nowhere', 'text=There is no such page'],
  ];
  const cases = pages.flatMap((page) => SCHEMES.map((scheme) => [...page, scheme] as const));

  test.each(cases)(
    '%s fits every width and hinders nobody (%#)',
    async (name, path, ready, scheme) => {
      const { page, close } = await dashboard.open({ colorScheme: scheme, reducedMotion: 'reduce' });
      await page.goto(`${dashboard.app.url}${path()}`);
      await page.locator(ready).first().waitFor();
      await expectFit(page, name, scheme);
      await close();
    },
    120_000,
  );
});
