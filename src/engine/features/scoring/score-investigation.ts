import { setTimeout as delay } from 'node:timers/promises';
import { storable } from '../../../common/storable.ts';
import { type ResolvedLlm, withFallbacks } from '../../../config/resolve.ts';
import { resolveScoring } from '../../../config/resolve-calls.ts';
import type { ScoreRow } from '../../../db/entities/index.ts';
import { BreakOffError } from '../../common/interruptions.ts';
import { limitTime, type TimeLimit } from '../../common/time-limit.ts';
import { askAnyModel } from '../../model/availability/fallback.ts';
import { isOutage } from '../../model/availability/provider-availability.ts';
import type { LlmSettings, LlmTool } from '../../model/client.ts';
import { type Arrived, collectStream, keepIn, type LlmResponse } from '../../model/collect-stream.ts';
import { describeSent, type Fitted } from '../../model/context-window/fit.ts';
import { createPromptWindow, type PromptWindow, promptUnits } from '../../model/context-window/window.ts';
import { describeError } from '../../model/errors.ts';
import type { LlmMessage } from '../../model/request.ts';
import { llmSettings } from '../../model/settings.ts';
import type { LlmTask } from '../../model/task.ts';
import { usageOf } from '../../model/usage.ts';
import type { SessionRun } from '../../run-context/types.ts';
import { writeIf } from '../../store/event-statement.ts';
import { recordLlmCall } from '../../store/interactions.ts';
import { AUTOMATIC, offeredTools, type ScoreResult } from '../../store/scores.ts';
import { describeUse } from '../budgets/budgets.ts';
import {
  REPORT_RESULTS_MAX_UNITS,
  REPORT_RESULTS_SHARE,
  readMaterial,
  toTaskOutputs,
} from '../report/material.ts';
import {
  JUDGE_INSTRUCTIONS,
  judgeUserPrompt,
  promptHash,
  scoreFormInText,
  unreadableScorePrompt,
} from './prompt.ts';
import { parseScore, ScoreError, type SubmittedScore, submitScoreTool } from './schema.ts';

const SUBMIT: LlmTool = {
  ...submitScoreTool(),
  toolClass: 'reads',
  annotations: { readOnly: null, destructive: null, idempotent: null, openWorld: null },
};

/** Why there is no score, in a sentence for people. */
export class NoScoreError extends Error {
  override name = 'NoScoreError';
}

/** The judge could not be asked; its cause is why. */
class UnheardError extends NoScoreError {}

/** Which judge is asked, and with which words. */
export type ScoringModel = Pick<ScoreResult, 'modelName' | 'promptHash'>;

interface Asking {
  run: SessionRun;
  scoreId: string;
  llm: LlmSettings;
  window: PromptWindow;
  /** How long somebody is waited for who takes the call; 0 where another can be asked. */
  waitMs: number;
  limit: TimeLimit;
  tools: readonly LlmTool[];
  task: LlmTask;
}

export function scoringModel({ config, chain }: Pick<SessionRun, 'config' | 'chain'>): ScoringModel {
  return { modelName: resolveScoring(config, chain).provider.model, promptHash: promptHash() };
}

/**
 * Has a model judge an investigation; an answer that cannot be read goes back once. A judge that cannot be had leaves all of it to
 * the next one: no score is of two opinions.
 * @param asks told whose opinion it will be, if not the first one's
 * @throws NoScoreError, BreakOffError, the signal's reason
 */
export async function scoreInvestigation(
  run: SessionRun,
  score: ScoreRow,
  asks: (scoreInvestigation: Pick<ScoringModel, 'modelName'>) => void,
): Promise<SubmittedScore> {
  const { config, chain, circuits, signal, observer, logger } = run;
  if (score.requestedBy === AUTOMATIC) await requireBudget(run);
  const models = withFallbacks(config, resolveScoring(config, chain));
  const judged = await askAnyModel(
    {
      ...{ models, circuits, signal },
      async fellBack({ content, metadata: { from, to, reason } }) {
        observer.metrics.fellBack(from.provider, to.provider, reason);
        logger.warn(content);
        asks({ modelName: to.model });
      },
    },
    async (model, isLast) => {
      try {
        return { score: await judgedBy(model, run, score, isLast) };
      } catch (failure) {
        if (!(failure instanceof UnheardError)) throw failure;
        return { failure, error: failure.cause };
      }
    },
  );
  if ('failure' in judged) throw judged.failure;
  return masked(run, judged.score);
}

async function judgedBy(
  model: ResolvedLlm,
  run: SessionRun,
  score: ScoreRow,
  isLast: boolean,
): Promise<SubmittedScore> {
  const { session, runbook, config } = run;
  const analysis = session.finalAnalysis ?? '';
  const llm = { ...llmSettings(model), nativeTools: {} };
  const inText = model.strategy === 'REACT';
  const units = Math.min(REPORT_RESULTS_MAX_UNITS, promptUnits(llm) * REPORT_RESULTS_SHARE);
  const material = await readMaterial(run.db, session.id, analysis, Math.floor(units));
  const tools = await offeredTools(run.db, session.id);
  const { alertData } = run.alert;
  const asking: Asking = {
    ...{ run, scoreId: score.id, llm, window: createPromptWindow(llm), tools: inText ? [] : [SUBMIT] },
    waitMs: isLast ? config.defaults.timeouts.llmOutageMs : 0,
    limit: limitTime(run.signal, config.defaults.timeouts.scoringMs),
    task: {
      alert: alertData,
      runbook: runbook.content,
      works: [{ analysis, outputs: toTaskOutputs(material) }],
    },
  };
  const form = inText ? `\n\n${scoreFormInText(SUBMIT.inputSchema)}` : '';
  const user = judgeUserPrompt({ alertData, runbook: runbook.content, analysis, material, tools });
  const messages: LlmMessage[] = [
    { role: 'SYSTEM', content: JUDGE_INSTRUCTIONS + form },
    { role: 'USER', content: user },
  ];
  const first = await ask(asking, messages, 1);
  const read = tryRead(first);
  if (!(read instanceof ScoreError)) return read;
  const last = tryRead(await ask(asking, [...messages, ...toldAbout(first, read.message)], 2));
  if (last instanceof ScoreError)
    throw new NoScoreError(`The judge’s answer cannot be used: ${last.message}`);
  return last;
}

/** Nobody waits for a score that nobody asked for: it is not made when a budget is used up. */
async function requireBudget({ budgets }: SessionRun): Promise<void> {
  const over = (await budgets?.read())?.find(({ share }) => share >= 1);
  if (over)
    throw new NoScoreError(`${describeUse(over, over.used)}; scores are made when somebody asks for one.`);
}

function tryRead(response: LlmResponse): SubmittedScore | ScoreError {
  try {
    return parseScore(callIn(response)?.arguments ?? response.text);
  } catch (error) {
    if (error instanceof ScoreError) return error;
    throw error;
  }
}

function callIn({ toolCalls }: LlmResponse) {
  return toolCalls.find(({ name }) => name === SUBMIT.name);
}

/** The answer, and what is wrong with it. A call must be answered as one, and every one. */
function toldAbout(response: LlmResponse, problems: string): LlmMessage[] {
  const { text: content, toolCalls, providerTurn } = response;
  const words = unreadableScorePrompt(problems);
  const about = callIn(response) ?? toolCalls[0];
  return [
    { role: 'ASSISTANT', content, toolCalls, ...(providerTurn && { providerTurn }) },
    ...toolCalls.map(
      (call): LlmMessage => ({
        ...{ role: 'TOOL', toolCallId: call.id, toolName: call.name },
        content: call === about ? words : 'Not taken: hand in one score.',
      }),
    ),
    ...(toolCalls.length === 0 ? [{ role: 'USER' as const, content: words }] : []),
  ];
}

/** One answer of the model; while there is nobody to take the call it is waited for, and that time does not count. */
async function ask(asking: Asking, messages: readonly LlmMessage[], iteration: number): Promise<LlmResponse> {
  const { run, llm, limit, window, tools } = asking;
  const until = performance.now() + asking.waitMs;
  for (;;) {
    try {
      const response = await window.within({ messages, tools }, (fitted) => call(asking, fitted, iteration));
      run.outages.ended(llm.provider);
      return response;
    } catch (error) {
      if (error instanceof BreakOffError) throw error;
      run.signal.throwIfAborted();
      if (limit.signal.aborted) throw new NoScoreError('The judge took longer than it may.');
      if (!isOutage(error) || performance.now() + error.retryAfterMs >= until)
        throw new UnheardError(`The judge could not be asked: ${describeError(error)}`, { cause: error });
      run.outages.failed(llm.provider, error.retryAfterMs);
      limit.pause();
      await delay(run.outages.waitMs(llm.provider), undefined, { signal: run.signal }).catch(() => {});
      run.signal.throwIfAborted();
      limit.restart();
    }
  }
}

/** Makes the call and records it, however it ends: it costs like any other. */
async function call(asking: Asking, sent: Fitted<LlmMessage>, iteration: number): Promise<LlmResponse> {
  const { run, scoreId, llm, limit, tools, task } = asking;
  const startedAt = performance.now();
  const arrived: Arrived & Partial<LlmResponse> = { text: '', thinking: '', usage: null };
  const record = (errorMessage: string | null) =>
    writeIf(
      run.db,
      run.session.id,
      { guard: 's.deleted_at is null', values: [] },
      recordLlmCall(
        { stageId: null, executionId: null },
        {
          ...{ type: 'SCORING', iteration, provider: llm.provider, modelName: llm.model, errorMessage },
          request: { backend: llm.backend, model: llm.model, scoreId, ...describeSent(sent) },
          response: traced(run, arrived),
          thinking: arrived.thinking ? maskedText(run, arrived.thinking) : null,
          lastMessageSequence: null,
          usage: usageOf(arrived),
          durationMs: performance.now() - startedAt,
        },
      ),
    );
  try {
    const request = {
      ...{
        sessionId: run.session.id,
        executionId: scoreId,
        purpose: 'SCORING' as const,
        iteration,
        llm,
        task,
      },
      ...(tools.length === 0 ? { tools } : { tools, toolChoice: SUBMIT.name }),
    };
    const stream = run.client.generate({ ...request, messages: sent.messages }, { signal: limit.signal });
    const response = await collectStream(stream, keepIn(arrived));
    Object.assign(arrived, response);
    await record(null);
    return response;
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    await record(describeError(limit.signal.aborted ? limit.signal.reason : error));
    throw error;
  }
}

const WITHHELD = '[withheld: secrets in it could not be masked]';

function traced(
  run: SessionRun,
  { text = '', toolCalls = [] }: Partial<LlmResponse>,
): Record<string, unknown> {
  const calls = toolCalls.map((each) => ({ ...each, arguments: maskedText(run, each.arguments) }));
  return { text: maskedText(run, text), toolCalls: calls };
}

function maskedText(run: SessionRun, text: string): string {
  try {
    return mask(run, text);
  } catch {
    return WITHHELD;
  }
}

function mask({ masking, config }: SessionRun, text: string): string {
  return masking.maskText(config.redact(storable(text)), {
    groups: ['security'],
    patterns: ['kubernetes_secret'],
  });
}

/** The score with its texts masked: it quotes what tools returned. @throws NoScoreError rather no score than a secret */
function masked(run: SessionRun, score: SubmittedScore): SubmittedScore {
  try {
    const reasons = Object.entries(score.dimensions).map(([name, { reason, points }]) => [
      name,
      { reason: mask(run, reason), points },
    ]);
    return {
      ...score,
      dimensions: Object.fromEntries(reasons) as SubmittedScore['dimensions'],
      analysis: mask(run, score.analysis),
      toolReport: score.toolReport === null ? null : mask(run, score.toolReport),
    };
  } catch {
    throw new NoScoreError('Secrets in the judge’s answer could not be masked, so it is withheld.');
  }
}
