import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSenders, SENDER_PAGES } from '../../scripts/lib/senders.ts';
import { SOURCE_TYPES, type SourceType } from '../../src/config/enums.ts';
import { read } from '../../src/intake/fixtures/delivery.ts';
import { loadText } from '../fixtures/config/load-text.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { SOURCE_TOKEN } from '../helpers/deliveries.ts';

const ADDRESS = 'https://tarsy.example.com/webhooks/prod';
const SENDERS = readSenders();
const run = promisify(execFile);

/** Returns the snippets for a type of source that have this label. */
function codeOf(type: SourceType, label: string): string[] {
  const { parts } = SENDERS[type];
  return parts.flatMap((part) => (part.kind === 'code' && part.label === label ? [part.text] : []));
}

const OURS = SOURCE_TYPES.flatMap((type) => codeOf(type, 'tarsy.yaml').map((text) => [type, text] as const));

test('each type has a page with configuration and address, without secrets', () => {
  const pages = readdirSync(SENDER_PAGES).filter((page) => page !== 'index.md');
  expect(pages.sort()).toEqual(SOURCE_TYPES.map((type) => `${type}.md`).sort());
  expect([...new Set(OURS.map(([type]) => type))].sort()).toEqual([...SOURCE_TYPES].sort());
  for (const [type, { parts }] of Object.entries(SENDERS)) {
    const text = parts.map((part) => part.text).join('\n');
    if (type !== 'cloudwatch') expect(text, type).toMatch(/<token>|<password>|secrets: \["\{\{\./);
    expect(text, type).toContain(ADDRESS);
  }
});

test.each(OURS)('what goes into tarsy.yaml for %s is taken', async (type, text) => {
  const config = await loadText(text.replace(/\{\{\.\w+\}\}/g, SOURCE_TOKEN));
  expect(Object.keys(config.intake.sources)).toEqual(['prod']);
  expect(config.intake.sources.prod).toMatchObject({ name: 'prod', type });
});

test('the files for Alertmanager and Grafana send to the address with the token', () => {
  const [alertmanager] = codeOf('alertmanager', 'alertmanager.yml').map((text) => parse(text));
  const receiver = alertmanager.receivers.at(-1);
  expect(receiver.name).toBe(alertmanager.route.routes[0].receiver);
  expect(receiver.webhook_configs).toEqual([
    { url: ADDRESS, send_resolved: true, http_config: { authorization: { credentials: '<token>' } } },
  ]);
  const [grafana] = codeOf('grafana', 'contact-points.yaml').map((text) => parse(text));
  expect(grafana.contactPoints[0].receivers[0]).toMatchObject({
    type: 'webhook',
    settings: { url: ADDRESS },
  });
});

test("Datadog's payload becomes an alert, and its recovery resolves it", () => {
  const [payload] = codeOf('datadog', 'payload');
  const values: Record<string, string> = {
    EVENT_TITLE: 'Disk full',
    ALERT_PRIORITY: 'P2',
    ALERT_TRANSITION: 'Triggered',
    ALERT_ID: '77',
    ALERT_SCOPE: 'host:db-03',
    ALERT_CYCLE_KEY: '123',
    TAGS: 'host:db-03,team:storage',
    LINK: 'https://app.datadoghq.com/event/1',
  };
  const sent = (more: Record<string, string>) =>
    payload!.replace(/\$([A-Z_]+)/g, (left, name: string) => ({ ...values, ...more })[name] ?? left);
  const [alert] = read('datadog', sent({})).alerts;
  expect(alert).toMatchObject({
    ...{ title: 'Disk full', severity: 'ERROR', state: 'FIRING', episode: '123' },
    labels: { host: 'db-03', team: 'storage', monitor: '77' },
    ...{ annotations: {}, url: 'https://app.datadoghq.com/event/1' },
  });
  const [recovered] = read('datadog', sent({ ALERT_TRANSITION: 'Recovered' })).alerts;
  expect(recovered).toMatchObject({ fingerprint: alert!.fingerprint, state: 'RESOLVED' });
});

test("New Relic's template becomes an alert", () => {
  const [template] = codeOf('newrelic', 'payload template');
  const values: Record<string, unknown> = {
    issueId: 'i-1',
    issuePageUrl: 'https://radar-api.service.newrelic.com/i-1',
    'annotations.title.[0]': 'Memory above 90 %',
    priority: 'HIGH',
    state: 'ACTIVATED',
    'accumulations.policyName': ['Golden signals'],
    createdAt: 1_763_800_000_000,
  };
  const body = template!.replace(/\{\{ (?:json )?(\S+) \}\}/g, (_, name: string) =>
    JSON.stringify(values[name] ?? null),
  );
  expect(read('newrelic', body).alerts).toMatchObject([
    { title: 'Memory above 90 %', severity: 'ERROR', state: 'FIRING', labels: { policy: 'Golden signals' } },
  ]);
});

describe('the media type of Zabbix', () => {
  const [file] = codeOf('zabbix', 'tarsy-media-type.yaml').map((text) => parse(text));
  const [media] = file.zabbix_export.media_types;
  const macros: Record<string, string> = {
    'EVENT.NAME': 'Disk space is low',
    'EVENT.NSEVERITY': '4',
    'TRIGGER.ID': '23140',
    'HOST.NAME': 'db-03',
    'EVENT.ID': '98122',
    'EVENT.TAGSJSON': '[{"tag":"team","value":"storage"}]',
  };

  /** Runs the script as Zabbix does and returns the request that it posted. */
  function post(more: Record<string, string>, status = 202) {
    const parameters = media.parameters.map(({ name, value }: { name: string; value: string }) => [
      name,
      value.replace(/\{([A-Z.]+)\}/g, (left, macro: string) => ({ ...macros, ...more })[macro] ?? left),
    ]);
    const headers: string[] = [];
    const posts: [url: string, body: string][] = [];
    class HttpRequest {
      addHeader = (header: string) => headers.push(header);
      post = (url: string, body: string) => posts.push([url, body]);
      getStatus = () => status;
    }
    const value = JSON.stringify(Object.fromEntries(parameters));
    const said: unknown = runInNewContext(`(function () { ${media.script} })()`, { HttpRequest, value });
    return { headers, posts, said };
  }

  test('sends a problem and its recovery, which become one alert', () => {
    const { headers, posts, said } = post({ 'EVENT.VALUE': '1' });
    expect(said).toBe('OK');
    expect(headers).toContain('Authorization: Bearer <token>');
    expect(posts.map(([url]) => url)).toEqual([ADDRESS]);
    const [alert] = read('zabbix', posts[0]![1]).alerts;
    expect(alert).toMatchObject({
      ...{ title: 'Disk space is low', severity: 'ERROR', state: 'FIRING', episode: '98122' },
      labels: { host: 'db-03', trigger: '23140', team: 'storage' },
      annotations: {}, // Zabbix leaves unknown macros as they are written; values with such macros are absent
    });
    const [ended] = read('zabbix', post({ 'EVENT.VALUE': '0' }).posts[0]![1]).alerts;
    expect(ended).toMatchObject({ fingerprint: alert!.fingerprint, state: 'RESOLVED' });
  });

  test('fails if the request is refused, so that Zabbix retries', () => {
    expect(() => post({}, 503)).toThrow('TARSy answered 503');
  });
});

describe('the commands', () => {
  let app: TestApp;
  const types = ['pagerduty-events', 'cloudevents', 'generic'] as const;
  beforeAll(async () => {
    const sources = Object.fromEntries(types.map((type) => [type, { type, tokens: [SOURCE_TOKEN] }]));
    app = await startTestApp({ role: 'api', intake: { sources } });
  });
  afterAll(() => app.stop());

  test.each(types)('of %s send an alert that is taken', async (type) => {
    const [command] = codeOf(type, 'command');
    const own = command!.replace(ADDRESS, `${app.url}/webhooks/${type}`);
    await run('sh', ['-c', own.replace('<token>', SOURCE_TOKEN)], { timeout: 20_000 });
    const asked = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: `{ alertGroups(filter: { source: ["${type}"] }) { nodes { state alertCount } } }`,
      }),
    });
    expect(await asked.json()).toEqual({
      data: { alertGroups: { nodes: [{ state: 'FIRING', alertCount: 1 }] } },
    });
  });
});
