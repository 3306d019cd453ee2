import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { unpackDebianPackages } from './debian-packages.ts';
import { freePort } from './free-port.ts';

/** The programs of Debian's packages, or the reason why they are missing. */
export const monitoringPrograms = await unpackDebianPackages(['prometheus', 'prometheus-alertmanager']);
if ('missing' in monitoringPrograms) console.warn(monitoringPrograms.missing);

interface MonitoringOptions {
  /** Alertmanager's configuration. */
  alertmanager: unknown;
  /** Rule files as YAML text. */
  rules: readonly string[];
  /** Addresses (`host:port`) whose metrics are scraped, in addition to `full`. */
  targets?: readonly string[];
}

/** Real Prometheus and Alertmanager. Each host in `full` has the metric `disk_full` with the value 1. */
export interface Monitoring {
  full: Set<string>;
  query(expression: string): Promise<unknown[]>;
  stopAlertmanager(): Promise<void>;
  stop(): Promise<void>;
}

export async function startMonitoring(options: MonitoringOptions): Promise<Monitoring> {
  if ('missing' in monitoringPrograms) throw new Error(monitoringPrograms.missing);
  const { run } = monitoringPrograms;
  const full = new Set<string>();
  const metrics = await exporter(full);
  const dir = await mkdtemp(join(tmpdir(), 'tarsy-monitoring-'));
  const [amPort, promPort] = [await freePort(), await freePort()];
  const files = options.rules.map((_, index) => `rules-${index}.yml`);
  const targets = [`127.0.0.1:${(metrics.address() as AddressInfo).port}`, ...(options.targets ?? [])];
  await Promise.all(files.map((file, index) => writeFile(join(dir, file), options.rules[index]!)));
  await writeFile(join(dir, 'am.yml'), stringify(options.alertmanager));
  const prometheus = {
    global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
    rule_files: files,
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${amPort}`] }] }] },
    scrape_configs: [{ job_name: 'test', static_configs: [{ targets }] }],
  };
  await writeFile(join(dir, 'prom.yml'), stringify(prometheus));
  const start = (program: string, args: string[]) => {
    const [command, ...before] = run(program);
    return spawn(command!, [...before, ...args], { cwd: dir, stdio: 'ignore' });
  };
  const alertmanager = start('prometheus-alertmanager', [
    '--config.file=am.yml',
    `--storage.path=${dir}/am`,
    `--web.listen-address=127.0.0.1:${amPort}`,
    '--cluster.listen-address=',
  ]);
  const server = start('prometheus', [
    '--config.file=prom.yml',
    `--storage.tsdb.path=${dir}/prom`,
    `--web.listen-address=127.0.0.1:${promPort}`,
    '--rules.alert.resend-delay=500ms',
  ]);
  return {
    full,
    async query(expression) {
      const address = `http://127.0.0.1:${promPort}/api/v1/query?query=${encodeURIComponent(expression)}`;
      return (await (await fetch(address)).json()).data.result;
    },
    stopAlertmanager: () => terminate(alertmanager),
    async stop() {
      await Promise.all([terminate(alertmanager), terminate(server)]);
      metrics.closeAllConnections();
      metrics.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
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

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
