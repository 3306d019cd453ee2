import { afterEach, expect, test, vi } from 'vitest';
import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { startTestApp } from '../helpers/app.ts';
import { startCluster } from '../helpers/cluster.ts';
import { claimedFact } from '../helpers/report.ts';
import { type Step, toolCall } from '../helpers/scripted-llm/index.ts';

/** Three replicas examine causes, and one report names a cause. */
vi.setConfig({ testTimeout: 120_000 });

let running: { stop(): Promise<unknown> };
afterEach(() => running.stop());

const REPLICAS = {
  defaults: { hypotheses: { enabled: true }, report: { enabled: true } },
  stages: [{ name: 'look', replicas: 3, agents: [{ name: 'TestAgent' }] }],
};

const CAUSE = 'The full disk stops the writes.';
const textOf = ({ messages }: GenerateRequest) => messages.map(({ content }) => content).join('\n');
const proof = (source: string, seen: string) => ({
  citations: [{ source, quote: `echo: ${seen}` }],
  facts: [claimedFact('Echo', 'echo', seen)],
});

interface Run {
  /** Result that the replica sees and proves its hypothesis with. */
  seen: string;
  state?: 'REFUTED';
  fails?: true;
}

const FAILURE: Step = { error: { code: 'invalid_api_key', message: 'no key' } };

/** @param runs the replicas; `null` for one without hypothesis */
function answer(runs: readonly (Run | null)[], reported: { claims: object[] } | null = null) {
  let begun = 0;
  return (request: GenerateRequest): Step => {
    if (request.purpose === 'report') return toolCall('submit_report', report(request, reported), 'report');
    const last = request.messages.at(-1)!;
    if (request.purpose !== 'iteration') return { text: 'The disk is full.' };
    if (last.role !== 'tool') {
      const own = runs[begun++]!;
      return own === null
        ? { text: 'Nothing found.' }
        : toolCall('tools.echo', { text: own.seen }, `look-${begun}`);
    }
    const [, source, found] = /\[(T\d+)\][\s\S]*?echo: (disk \w+)/.exec(last.content) ?? [];
    const own = runs[Number(/\d/.exec(last.toolCallId!)![0]) - 1]!;
    if (source === undefined) return own.fails ? FAILURE : { text: 'Done.' };
    const hypothesis = { text: `Cause: ${found}`, state: own.state ?? 'SUPPORTED', ...proof(source, found!) };
    return toolCall('tarsy.update_hypotheses', { hypotheses: [hypothesis] }, `${last.toolCallId}-cause`);
  };
}

function report(request: GenerateRequest, reported: { claims: object[] } | null) {
  const source = /SUPPORTED \((T\d+)\), TestAgent\S*: Cause: disk full/.exec(textOf(request))?.[1] ?? 'T1';
  const cause = { kind: 'CAUSE', text: CAUSE, ...proof(source, 'disk full') };
  const claims = reported?.claims ?? [cause];
  return { verdict: 'ACTION_REQUIRED', headline: 'Full.', confidence: 0.9, entities: ['disk'], claims };
}

interface Shown {
  report: {
    confidence: number;
    agreement: { runs: number; agreeing: number; cause: string | null } | null;
    claims: { status: string }[];
  };
  export: string;
}

async function read(api: ApiClient, id: string): Promise<Shown> {
  const { session } = await api.query<{ session: Shown }>(
    `query ($id: ID!) { session(id: $id) { export(format: MARKDOWN)
       report { confidence agreement { runs agreeing cause } claims { status } } } }`,
    { id },
  );
  return session;
}

async function investigate(...script: Parameters<typeof answer>) {
  const app = await startTestApp(REPLICAS);
  running = app;
  app.llm.otherwise(answer(...script));
  const api = apiClient(app.url);
  const id = await api.submit('Writes fail');
  expect(await api.waitFor(id, ({ status }) => ENDED.has(status))).toMatchObject({ status: 'COMPLETED' });
  return read(api, id);
}

const FULL: Run = { seen: 'disk full' };
const BROKEN: Run = { seen: 'disk broken' };
const TWO_OF_THREE = { runs: 3, agreeing: 2, cause: CAUSE };

test('counts the replicas that found the cause, and limits the confidence to their share', async () => {
  const shown = await investigate([FULL, BROKEN, FULL]);
  expect(shown.report).toEqual({
    ...{ confidence: 2 / 3, agreement: TWO_OF_THREE },
    claims: [{ status: 'SUPPORTED' }],
  });
  expect(shown.export).toContain('- **Agreement:** 2 of 3 runs agree on the cause\n');
  expect(shown.export).toContain('- **Confidence:** 67');
});

test('replicas without a supported hypothesis do not agree', async () => {
  const { report } = await investigate([FULL, null, null]);
  expect(report).toMatchObject({ confidence: 1 / 3, agreement: { runs: 3, agreeing: 1, cause: CAUSE } });
});

test('replicas that failed or refuted the cause do not agree', async () => {
  const { report } = await investigate([FULL, { ...FULL, state: 'REFUTED' }, { ...FULL, fails: true }]);
  expect(report).toMatchObject({ confidence: 1 / 3, agreement: { runs: 3, agreeing: 1, cause: CAUSE } });
});

test('the agreement is unknown if no replica has a supported hypothesis', async () => {
  const shown = await investigate([null, null, null]);
  expect(shown.report).toMatchObject({ confidence: 0.9, agreement: null });
  expect(shown.export).not.toContain('Agreement');
  expect(shown.export).toContain('- **Model’s confidence:** 90');
});

test('no replica agrees with a cause that is not proven', async () => {
  const claims = [{ kind: 'CAUSE', text: CAUSE, citations: [], facts: [] }];
  const { report } = await investigate([FULL, FULL, FULL], { claims });
  expect(report).toMatchObject({ confidence: 0, agreement: { runs: 3, agreeing: 0, cause: null } });
});

test('a worker killed during the report is replaced, and the agreement is the same', async () => {
  const cluster = await startCluster(REPLICAS);
  running = cluster;
  cluster.llm.route(({ purpose }) => purpose === 'report', [{ text: 'Half ' }, { gate: 'reporting' }]);
  cluster.llm.otherwise(answer([FULL, FULL, BROKEN]));
  const worker = await cluster.startWorker();
  const id = await cluster.api.submit('Writes fail');
  await cluster.llm.reached('reporting');
  await worker.end('SIGKILL');
  await cluster.startWorker();
  await cluster.api.waitFor(id, ({ status }) => ENDED.has(status));
  const { report } = await read(cluster.api, id);
  expect(report).toMatchObject({ confidence: 2 / 3, agreement: TWO_OF_THREE });
});
