import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestApp } from '../helpers/app.ts';
import { unpackDebianPackages } from '../helpers/debian-packages.ts';
import { openTestPool, SOURCE_TOKEN } from '../helpers/deliveries.ts';

const found = await unpackDebianPackages(['prometheus', 'prometheus-alertmanager']);
if ('missing' in found) console.warn(found.missing);

/** Returns a port that was free a moment ago, because both programs need a fixed one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Serves the metrics that Prometheus scrapes. */
async function exporter(full: ReadonlySet<string>) {
  const server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'text/plain; version=0.0.4');
    res.end(
      ['db-03', 'db-04'].map((host) => `disk_full{host="${host}"} ${full.has(host) ? 1 : 0}\n`).join(''),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
}

const RULES = `groups:
  - name: disks
    rules:
      - alert: DiskFull
        expr: disk_full == 1
        labels: { severity: critical }
        annotations: { summary: "The disk of {{ $labels.host }} is full" }
`;

it.skipIf('missing' in found)(
  'Prometheus and Alertmanager fire, repeat, join and resolve: one session, and a decision for each delivery',
  async () => {
    if ('missing' in found) throw new Error(found.missing);
    const app = await startTestApp({
      role: 'api',
      intake: { sources: { am: { type: 'alertmanager', tokens: [SOURCE_TOKEN] } } },
    });
    const pool = openTestPool(app.database.url);
    const full = new Set<string>();
    const metrics = await exporter(full);
    const dir = await mkdtemp(join(tmpdir(), 'tarsy-alertmanager-'));
    const [amPort, promPort] = [await freePort(), await freePort()];
    await writeFile(
      join(dir, 'am.yml'),
      `route: { receiver: tarsy, group_by: [alertname], group_wait: 100ms, group_interval: 500ms, repeat_interval: 1s }
receivers:
  - name: tarsy
    webhook_configs:
      - { url: "${app.url}/webhooks/am", send_resolved: true, http_config: { authorization: { credentials: ${SOURCE_TOKEN} } } }
`,
    );
    await writeFile(join(dir, 'rules.yml'), RULES);
    await writeFile(
      join(dir, 'prom.yml'),
      `global: { scrape_interval: 500ms, evaluation_interval: 500ms }
rule_files: [rules.yml]
alerting: { alertmanagers: [{ static_configs: [{ targets: ["127.0.0.1:${amPort}"] }] }] }
scrape_configs: [{ job_name: disks, static_configs: [{ targets: ["127.0.0.1:${(metrics.address() as AddressInfo).port}"] }] }]
`,
    );
    const children: ChildProcess[] = [];
    const start = (program: string, args: string[]) => {
      const [command, ...before] = found.run(program);
      children.push(spawn(command!, [...before, ...args], { cwd: dir, stdio: 'ignore' }));
    };
    start('prometheus-alertmanager', [
      '--config.file=am.yml',
      `--storage.path=${dir}/am`,
      `--web.listen-address=127.0.0.1:${amPort}`,
      '--cluster.listen-address=',
    ]);
    start('prometheus', [
      '--config.file=prom.yml',
      `--storage.tsdb.path=${dir}/prom`,
      `--web.listen-address=127.0.0.1:${promPort}`,
      '--rules.alert.resend-delay=500ms',
    ]);
    const outcomes = async () =>
      (await pool.query(`select distinct outcome from intake_decisions order by 1`)).rows.map(
        ({ outcome }) => outcome,
      );
    const eventually = (check: () => Promise<unknown>) =>
      expect.poll(check, { timeout: 60_000, interval: 200 });
    try {
      full.add('db-03');
      await eventually(outcomes).toContain('INVESTIGATED');
      await eventually(outcomes).toContain('DUPLICATE');
      full.add('db-04');
      await eventually(outcomes).toContain('JOINED');
      const [session] = (await pool.query('select * from alert_sessions')).rows;
      expect(session).toMatchObject({ status: 'PENDING', author: 'am' });
      expect(session.alert_data).toContain('- host: db-04');
      expect(session.alert_data).toContain('The disk of db-03 is full');
      full.clear();
      await eventually(outcomes).toContain('RESOLVED');
      await eventually(
        async () => (await pool.query('select state, alert_count from alert_groups')).rows,
      ).toEqual([{ state: 'RESOLVED', alert_count: 2 }]);
      expect((await pool.query('select status from alert_sessions')).rows).toEqual([{ status: 'CANCELLED' }]);
      expect((await pool.query('select fingerprint from alerts')).rows).toHaveLength(2);
      expect((await pool.query(`select 1 from intake_decisions where outcome = 'REJECTED'`)).rows).toEqual(
        [],
      );
    } finally {
      await Promise.all(
        children.map((child) => {
          if (child.exitCode !== null || child.signalCode !== null) return null;
          const gone = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGTERM');
          return gone;
        }),
      );
      metrics.closeAllConnections();
      metrics.close();
      await pool.end();
      await app.stop();
      await rm(dir, { recursive: true, force: true });
    }
  },
  240_000,
);
