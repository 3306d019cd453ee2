import { setTimeout as delay } from 'node:timers/promises';
import { runBounded } from '../../common/run-bounded.ts';
import { request, type Server } from '../api.ts';
import { type CaseResult, REPLAY, REPLAY_CASE, type ReplayState } from '../contract-cases.ts';
import { CliError, EXIT } from '../errors.ts';
import type { Plan, ResultItem, Results } from './results.ts';

const POLL_MS = 1_000;
/** Time (ms) for which an unreachable server is asked again, because it may be restarting. */
const UNREACHABLE_MS = 60_000;

interface RunnerDeps {
  server: Server;
  results: Results;
  /** Replays that run at once. */
  concurrency: number;
  /** Cost (USD) from which no further replay is started; `null` for no limit. */
  budgetUsd: number | null;
  signal: AbortSignal;
  /** Called after each change. The change is kept once the promise resolves. */
  save(): Promise<void>;
  /** Called for each replay that ended. */
  ended(item: ResultItem): Promise<void>;
}

interface Slot {
  case: Plan['cases'][number];
  provider: string | null;
  run: number;
}

/**
 * Makes the replays of a plan that have not ended yet. Replays that an earlier, killed command started are awaited.
 * @returns the number of replays that were not started, because the budget is used up
 */
export async function runPlan(options: RunnerDeps): Promise<number> {
  const { results, budgetUsd } = options;
  const failed = new AbortController();
  const deps = { ...options, signal: AbortSignal.any([options.signal, failed.signal]) };
  let skipped = 0;
  await runBounded(slotsOf(results.plan), deps.concurrency, async (slot) => {
    const known = results.results.find((item) => isOf(item, slot));
    if (known && isFinal(known)) return;
    if (!known && budgetUsd !== null && spent(results) >= budgetUsd) {
      skipped += 1;
      return;
    }
    try {
      deps.signal.throwIfAborted();
      await awaitEnd(deps, known ?? (await start(deps, slot)));
    } catch (error) {
      failed.abort(error); // the others stop, because they would fail in the same way
      throw failed.signal.reason;
    }
  });
  return skipped;
}

export const isFinal = ({ status }: Pick<ResultItem, 'status'>): boolean =>
  status !== 'PENDING' && status !== 'RUNNING';

export function spent({ results }: Results): number {
  return results.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

export function slotsOf({ cases, providers, runs }: Plan): Slot[] {
  const numbers = Array.from({ length: runs }, (_, index) => index + 1);
  return numbers.flatMap((run) =>
    cases.flatMap((one) => providers.map((provider) => ({ case: one, provider, run }))),
  );
}

const isOf = (item: ResultItem, slot: Slot): boolean =>
  item.case === slot.case.name && item.provider === slot.provider && item.run === slot.run;

async function start(deps: RunnerDeps, { case: of, provider, run }: Slot): Promise<ResultItem> {
  const { suiteId, plan } = deps.results;
  const suite = { id: suiteId, size: slotsOf(plan).length };
  const variables = { input: { caseId: of.id, llmProvider: provider, runs: 1, suite } };
  for (;;) {
    const { replayCase } = await ask<{ replayCase: CaseResult & { __typename: string } }>(deps, {
      document: REPLAY_CASE,
      variables,
    });
    const [replay] = replayCase.replays ?? [];
    if (replay) {
      const item = { case: of.name, provider, run, replayId: replay.id, ...NOT_ENDED };
      deps.results.results.push(item);
      await deps.save();
      return item;
    }
    if (replayCase.retryAfterSeconds === undefined)
      throw new CliError(EXIT.USAGE, replayCase.code ?? '', `${of.name}: ${replayCase.message}`);
    await delay(replayCase.retryAfterSeconds * 1_000, undefined, { signal: deps.signal });
  }
}

const NOT_ENDED = {
  ...{
    status: 'PENDING',
    passed: null,
    confidentlyWrong: false,
    unrecordedCalls: 0,
    model: '',
    configHash: '',
  },
  ...{
    verdict: null,
    confidence: null,
    evidenceScore: null,
    costUsd: null,
    tokens: 0,
    durationMs: null,
    checks: [],
  },
} satisfies Partial<ResultItem>;

async function awaitEnd(deps: RunnerDeps, item: ResultItem): Promise<void> {
  for (;;) {
    const variables = { id: item.replayId };
    const { replay } = await ask<{ replay: ReplayState | null }>(deps, { document: REPLAY, variables });
    Object.assign(item, replay ? stateOf(replay) : { status: 'GONE', passed: null });
    if (isFinal(item)) {
      await deps.save();
      return deps.ended(item);
    }
    await delay(POLL_MS, undefined, { signal: deps.signal });
  }
}

function stateOf({
  session,
  ...replay
}: ReplayState): Omit<ResultItem, 'case' | 'provider' | 'run' | 'replayId'> {
  const { status, passed, confidentlyWrong, unrecordedCalls, model, configHash, costUsd, checks } = replay;
  const report = session?.report ?? null;
  return {
    ...{ status, passed, confidentlyWrong, unrecordedCalls, model, configHash, costUsd, checks },
    verdict: report?.verdict ?? null,
    confidence: report?.confidence ?? null,
    evidenceScore: report?.evidenceScore ?? null,
    tokens: session?.tokenUsage.totalTokens ?? 0,
    durationMs: session?.durationMs ?? null,
  };
}

/** Sends a request, and sends it again while the server is unreachable. */
async function ask<T>(
  { server, signal }: RunnerDeps,
  operation: { document: string; variables: Record<string, unknown> },
): Promise<T> {
  const until = performance.now() + UNREACHABLE_MS;
  for (;;) {
    try {
      return await request<T>(server, { ...operation, signal });
    } catch (error) {
      const isAway = error instanceof CliError && error.exitCode === EXIT.UNREACHABLE;
      if (!isAway || performance.now() > until) throw error;
      await delay(POLL_MS, undefined, { signal });
    }
  }
}
