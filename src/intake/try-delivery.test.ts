import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tryDelivery } from './try-delivery.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tarsy-try-'));
  await writeFile(
    join(dir, 'tarsy.yaml'),
    `intake:
  sources:
    mine: { type: generic, tokens: [a-token-that-nobody-knows] }
    events: { type: cloudevents, tokens: [a-token-that-nobody-knows] }
  rules:
    - { name: quiet, match: ['severity="info"'], investigate: never }
    - { name: alive, match: ['alertname="Watchdog"'], canary: true }
`,
  );
});
afterAll(() => rm(dir, { recursive: true }));

async function run(args: string[], input = '') {
  const out = { stdout: '', stderr: '' };
  const writer = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (out[name] += text) });
  async function* stdin() {
    yield Buffer.from(input);
  }
  const io = { stdin: stdin(), stdout: writer('stdout'), stderr: writer('stderr') };
  const code = await tryDelivery(args, { configDir: dir, env: { CONFIG_DIR: dir }, io });
  return { code, ...out };
}

it('shows the result of a delivery, from a file and from standard input', async () => {
  const body = JSON.stringify([
    { title: 'Backup failed', severity: 'info', fingerprint: 'b1', labels: { host: 'db' } },
  ]);
  await writeFile(join(dir, 'body.json'), body);
  const shown = await run(['mine', join(dir, 'body.json')]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain(
    'Group: b1\nDecision: EXCLUDED. The rule "quiet" excludes these alerts.\nRule: quiet\nAlert: FIRING INFO b1 Backup failed\n\n# Backup failed',
  );
  expect((await run(['mine', '-'], body)).stdout).toContain('# Backup failed');
});

it('shows the decision about each group as if the group were new', async () => {
  const alerts = [
    { title: 'Disk', severity: 'error', fingerprint: 'a', group: 'g' },
    { title: 'Disk', severity: 'warning', fingerprint: 'b', group: 'g' },
    { title: 'CPU', severity: 'critical', fingerprint: 'c' },
    { title: 'Over', severity: 'info', fingerprint: 'd', state: 'resolved' },
    { title: 'Watchdog', fingerprint: 'w' },
  ];
  const { stdout } = await run(['mine', '-'], JSON.stringify(alerts));
  expect(stdout.match(/^Decision: .*$/gm)).toEqual([
    'Decision: INVESTIGATED. 2 firing alerts, severity error. First investigation. The investigation would wait 10 s for more alerts of the group.',
    'Decision: INVESTIGATED. 1 firing alert, severity critical. First investigation.',
    expect.stringMatching(/^Decision: RESOLVED\. The alert resolved /),
    'Decision: CANARY. The rule "alive" marks this alert as a canary.',
  ]);
});

it('shows the start that the alert would have: its own, or the time of the report', async () => {
  const event = { specversion: '1.0', id: '1', source: '/disk', type: 'full', time: '2026-11-22T10:00:00Z' };
  const since = async (data: object) =>
    /^Since: .*$/m.exec((await run(['events', '-'], JSON.stringify({ ...event, data }))).stdout)?.[0];
  expect(await since({ title: 'Disk' })).toBe('Since: 2026-11-22T10:00:00.000Z');
  const own = { title: 'Disk', starts_at: '2026-11-22T09:00:00Z' };
  expect(await since(own)).toBe('Since: 2026-11-22T09:00:00.000Z');
});

it('shows why a delivery would be refused', async () => {
  expect(await run(['mine', '-'], '{')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Refused (422 UNREADABLE_DELIVERY): $: is not JSON\n',
  });
  expect((await run(['mine', '-'], ' '.repeat(4 * 1024 * 1024 + 1))).stderr).toContain(
    '413 DELIVERY_TOO_LARGE',
  );
});

it('reads a delivery with headers', async () => {
  const headers = [
    'ce-specversion: 1.0',
    'ce-id: 1',
    'ce-source: /backup',
    'CE-Type: failed',
    'ce-subject: db-03',
  ];
  const args = ['events', '-', ...headers.flatMap((header) => ['--header', header])];
  const { code, stdout } = await run(args, '{"severity":"high"}');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Alert: FIRING ERROR \S+ db-03$/m);
  expect((await run(['events', '-'], '{"severity":"high"}')).stderr).toContain('$.specversion: is required');
});

it('shows its usage', async () => {
  expect(await run(['other', '-'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `No source is named "other" in ${dir}. Configured sources: mine, events.`,
    ),
  });
  for (const args of [
    [],
    ['mine'],
    ['mine', '-', 'x'],
    ['mine', '-', '--header', 'no'],
    ['mine', '-', '--what'],
  ])
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Usage: npm run intake:try'),
    });
  expect(await run(['--help'])).toEqual({
    code: 0,
    stdout: expect.stringContaining('Usage: npm run intake:try'),
    stderr: '',
  });
});

it('reports an unreadable file in one line', async () => {
  const { code, stderr } = await run(['mine', join(dir, 'nowhere.json')]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Cannot read .*nowhere\.json: ENOENT.*\n$/);
});

it('shows the text for agents without secrets and terminal control characters', async () => {
  const alert = {
    title: 'Login\u001b[2J',
    fingerprint: 'a',
    group: 'password=Sup3rS3cretValue9',
    labels: { note: 'password=Sup3rS3cretValue9', host: 'db\u001b]0;mine\u0007' },
  };
  const { stdout } = await run(['mine', '-'], JSON.stringify([alert]));
  expect(stdout).toContain('- note: password=[MASKED_PASSWORD]');
  for (const gone of ['Sup3rS3cretValue9', '\u001b', '\u0007']) expect(stdout).not.toContain(gone);
});
