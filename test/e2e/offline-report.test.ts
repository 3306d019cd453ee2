import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { devPython, ROOT } from '../../scripts/lib/dev-python.ts';
import type { LlmInteractionType } from '../../src/db/enums.ts';
import { parseReport, submitReportTool } from '../../src/engine/features/report/schema.ts';
import type { ToolOutput } from '../../src/engine/features/report/verify/types.ts';
import { verifyReport } from '../../src/engine/features/report/verify/verify-report.ts';
import { parseScore, submitScoreTool } from '../../src/engine/features/scoring/schema.ts';
import type { LlmClient } from '../../src/engine/model/client.ts';
import { startLlmProcess } from '../../src/machine/llm-process.ts';
import { FACT_TABLES } from '../fixtures/claims/facts/index.ts';
import { output } from '../fixtures/claims/output.ts';
import { createLlmBench, readAll } from '../helpers/scripted-llm/client.ts';

/** Tests that the offline rules' report is checked against the tool results like every report. */
const { connect, release } = createLlmBench();
let service: Awaited<ReturnType<typeof startLlmProcess>>;
let llm: LlmClient;

beforeAll(async () => {
  service = await startLlmProcess({
    python: await devPython(),
    serviceDir: `${ROOT}/llm-service`,
    env: { ...process.env, OFFLINE_CHUNK_DELAY_MS: '0' },
    logger: pino({ level: 'silent' }),
  });
  llm = connect(service.address);
}, 60_000);
afterAll(async () => {
  await release();
  await service?.stop();
});

const { name, ...schema } = submitReportTool({});
const NO_HINTS = { readOnly: null, destructive: null, idempotent: null, openWorld: null };

async function reportOn(alert: string, outputs: readonly ToolOutput[], { inText = false } = {}) {
  const told = outputs.map(({ number, server, tool, arguments: args, text, succeeded }) => ({
    tool: `${server}.${tool}`,
    arguments: JSON.stringify(args),
    content: text,
    failed: !succeeded,
    number,
  }));
  const chunks = await readAll(llm, undefined, {
    sessionId: 's',
    executionId: 'e',
    llm: { backend: 'offline', provider: 'offline', model: 'rules' },
    messages: [{ role: 'USER', content: 'Write the report.' }],
    tools: inText ? [] : [{ ...schema, name, toolClass: 'reads', annotations: NO_HINTS }],
    toolChoice: inText ? undefined : name,
    purpose: 'REPORT' as LlmInteractionType,
    task: { alert, works: [{ agent: 'A', outputs: told }] },
  });
  const calls = chunks.flatMap((chunk) => (chunk.kind === 'toolCall' ? [chunk] : []));
  const text = chunks.map((chunk) => (chunk.kind === 'text' ? chunk.text : '')).join('');
  expect(calls.map((call) => call.name)).toEqual(inText ? [] : [name]);
  const report = parseReport(inText ? text : calls[0]!.arguments);
  const checked = verifyReport({ claims: report.claims, outputs, alert, runbook: null });
  const unproven = checked.claims.flatMap(({ status, problems }, index) =>
    status === 'SUPPORTED' || status === 'NOT_CHECKABLE' ? [] : [{ ...report.claims[index]!, problems }],
  );
  expect(unproven).toEqual([]);
  return report;
}

const DF = (used: number) => `Filesystems of web1:
mounted on  device     type   size      used      available  used %  inodes used %
/           /dev/sda1  ext4   50.0 GiB  45.5 GiB  4.5 GiB    ${used}%     12%
/boot       /dev/sda2  ext4   1.0 GiB   0.2 GiB   0.8 GiB    99%     1%
Fullest: /boot with 99% used, 0.8 GiB available.`;
const LOG = output(13, '10:00 INFO fine\n10:01 ERROR write failed: No space left on device', {
  server: 'host',
  tool: 'tail_log',
});
const README = 'Disk almost full on this host: / above 90%';

test.each([
  [README, 91, 'ACTION_REQUIRED', 'its condition holds'],
  [README, 55, 'NO_ACTION', 'its condition does not hold'],
  ['Less than 10% disk space free on /', 91, 'ACTION_REQUIRED', 'its condition holds'],
  ['Less than 5% disk space free on /', 91, 'NO_ACTION', 'its condition does not hold'],
  ['Disk almost full on this host: /srv above 90%', 91, 'INCONCLUSIVE', 'rules cannot tell'],
  ['The disk is slow', 91, 'INCONCLUSIVE', 'rules cannot tell'],
])('%s with %i percent used: %s', async (alert, used, verdict, told) => {
  const disk = output(12, DF(used), { server: 'host', tool: 'disk_usage', arguments: { path: '/' } });
  const report = await reportOn(alert, [disk, LOG]);
  expect(report).toMatchObject({ verdict, headline: expect.stringContaining(told) });
  expect(report.claims.filter(({ kind }) => kind === 'OBSERVATION').length).toBeGreaterThan(0);
  expect(report.claims.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['GAP', 'RECOMMENDATION']));
  expect(await reportOn(alert, [disk, LOG], { inText: true })).toEqual(report);
});

test('the score that the rules submit is complete', async () => {
  const { name: tool, ...form } = submitScoreTool();
  const outputs = [{ tool: 'host.disk', arguments: '{}', content: DF(91), failed: false, number: 12 }];
  const chunks = await readAll(llm, undefined, {
    ...{ sessionId: 's', executionId: 'e', purpose: 'SCORING' as LlmInteractionType, toolChoice: tool },
    llm: { backend: 'offline', provider: 'offline', model: 'rules' },
    messages: [{ role: 'USER', content: 'Judge it.' }],
    tools: [{ ...form, name: tool, toolClass: 'reads', annotations: NO_HINTS }],
    task: { alert: README, works: [{ analysis: 'It is full [T12].', outputs }] },
  });
  const [call] = chunks.flatMap((chunk) => (chunk.kind === 'toolCall' ? [chunk] : []));
  expect(parseScore(call!.arguments)).toMatchObject({ total: 82, failureTags: [], toolReport: null });
});

test('claims nothing about missing results', async () => {
  const failed = output(12, 'no such disk: / at 95%', { succeeded: false });
  const report = await reportOn(README, [failed]);
  expect(report).toMatchObject({ verdict: 'INCONCLUSIVE', confidence: 0 });
  expect(report.claims.filter(({ kind }) => kind === 'OBSERVATION')).toEqual([]);
  expect(report.claims.map(({ text }) => text)).toContain('No result of cluster.look: the call failed.');
});

test('each claim holds, whatever the tools answer', { timeout: 600_000 }, async () => {
  let claimed = 0;
  for (const { outputs, honest } of FACT_TABLES)
    for (const { text } of honest) {
      for (const asked of [outputs, outputs.slice(0, 1)]) {
        const report = await reportOn(text, asked);
        claimed += report.claims.filter(({ kind }) => kind === 'OBSERVATION').length;
      }
    }
  expect(claimed).toBeGreaterThan(500);
});
