import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { seedActive, seedHistory } from '../helpers/dashboard-data.ts';
import { alertBody, intakeConfig, sendDelivery } from '../helpers/deliveries.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
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

const LABELS = { host: 'db-03', zone: 'eu-west-1', mountpoint: `/var/lib/${'postgresql-'.repeat(12)}data` };
const NOTES = {
  summary: '/var on db-03 is 94 % full and grows by 2.1 GiB an hour.',
  runbook_url: 'https://runbooks.example.com/disk',
};
const SILENCES = `insert into silences (id, matchers, comment, created_by, starts_at, ends_at) values
  (gen_random_uuid(), array['host="db-09"', 'alertname=~"Disk.*"'], 'Moving the disks', 'ana@example.com', now(), now() + interval '5 hours'),
  (gen_random_uuid(), array['host="db-08"'], 'Later', 'ana@example.com', now() + interval '1 day', now() + interval '2 days'),
  (gen_random_uuid(), array['host="${'db-'.repeat(60)}"'], 'Over', 'ana@example.com', now() - interval '2 days', now() - interval '1 day')`;

describe.skipIf(NO_BROWSER)(browserSuite('every page'), () => {
  let dashboard: Dashboard;
  let session: string;
  let group: string;
  beforeAll(async () => {
    const broken = { transport: { type: 'stdio', command: '/nonexistent/mcp-server' } };
    dashboard = await startDashboard({
      mcpServers: { broken },
      intake: intakeConfig({ rules: [{ name: 'waits', match: [], group_wait: '1h' }] }),
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
    await sendDelivery(app.url, [
      alertBody({ severity: 'info', labels: LABELS, annotations: NOTES, url: 'https://example.com/disk' }),
      alertBody({
        severity: 'warning',
        fingerprint: 'cpu',
        title: 'CPU of db-04 above 90 %',
        labels: { host: 'db-04' },
      }),
      alertBody({ severity: 'error', group: 'b', fingerprint: 'dns', title: 'DNS slow' }),
    ]);
    await sendDelivery(
      app.url,
      alertBody({ severity: 'error', group: 'b', fingerprint: 'dns', state: 'ok' }),
    );
    const { rows } = await pool.query(
      `update alert_groups set severity = 'CRITICAL' where group_key = 'db' returning id`,
    );
    group = rows[0].id;
    await pool.query(SILENCES);
    await seedHistory(pool, 40);
    await seedActive(pool, { running: 3, queued: 4 });
    await pool.end();
  });
  afterAll(() => dashboard.stop());

  const pages: [name: string, path: () => string, ready: string][] = [
    ['sessions', () => '/', 'nav[aria-label="History pages"]'],
    ['sessions-found', () => '/?q=db-03&status=completed&status=failed&sort=duration', 'mark'],
    ['sessions-none', () => '/?q=no-such-words', 'text=No matching sessions'],
    ['submit', () => '/submit', 'text=Investigate'],
    ['submit-again', () => `/submit?from=${session}`, 'text=Filled in from the earlier session'],
    ['system', () => '/system', 'text=Healthy'],
    ['alerts', () => '/alerts', 'text=2 groups'],
    ['alerts-none', () => '/alerts?q=no-such-words', 'text=No matching alert groups'],
    ['alert-group', () => `/alerts/${group}`, 'text=runbook_url'],
    ['alert-group-missing', () => '/alerts/nothing', 'text=Alert group not found'],
    ['silences', () => '/alerts/silences?ended=1', 'text=Moving the disks'],
    ['session', () => `/sessions/${session}`, 'text=Log rotation'],
    ['trace', () => `/sessions/${session}/trace`, 'text=investigation'],
    ['session-missing', () => '/sessions/nothing', 'text=Session not found'],
    ['missing', () => '/nowhere', 'text=Page not found'],
  ];
  test.each(pages)(
    '%s fits every width and is accessible',
    async (name, path, ready) => {
      const { page, close } = await dashboard.open({ reducedMotion: 'reduce' });
      await page.goto(`${dashboard.app.url}${path()}`);
      await page.locator(ready).first().waitFor();
      await expectPageFits(page, name);
      await close();
    },
    120_000,
  );
});
