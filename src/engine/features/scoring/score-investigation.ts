import { toStorable } from '../../../common/storable.ts';
import { createTimeLimit, type TimeLimit } from '../../../common/time-limit.ts';
import { type ResolvedLlm, withFallbacks } from '../../../config/resolve.ts';
import { resolveScoring } from '../../../config/resolve-calls.ts';
import type { ScoreRow } from '../../../db/entities/index.ts';
import { waitPaused } from '../../agent/calls/model-call.ts';
import { RunInterruptedError } from '../../common/interruptions.ts';
import { tryModels } from '../../model/availability/fallback.ts';
import type { LlmSettings } from '../../model/client.ts';
import { type Answer, completeOnce } from '../../model/complete-once.ts';
import { describeSent, type Fitted } from '../../model/context-window/fit.ts';
import { createPromptWindow, type PromptWindow } from '../../model/context-window/window.ts';
import { classifyModelError, describeError, LlmError } from '../../model/errors.ts';
import type { LlmMessage } from '../../model/request.ts';
import { withoutNativeTools } from '../../model/settings.ts';
import type { LlmTask } from '../../model/task.ts';
import type { RequestTools } from '../../run-context/codec.ts';
import type { SessionRun } from '../../run-context/types.ts';
import { recordEndedSessionCall } from '../../store/interactions.ts';
import { AUTOMATIC, readOfferedTools, type ScoreResult } from '../../store/scores.ts';
import { describeUse } from '../budgets/budgets.ts';
import { readMaterial, toTaskOutputs } from '../report/material.ts';
import { jsonAnswerPrompt } from '../report/prompt.ts';
import { repairMessages, submitTools, submittedText, submitWithRepair } from '../report/submission.ts';
import { JUDGE_INSTRUCTIONS, judgeUserPrompt, promptHash, unreadableScorePrompt } from './prompt.ts';
import { parseScore, ScoreError, type SubmittedScore, submitScoreTool } from './schema.ts';

const SUBMIT = submitScoreTool();

/** The investigation gets no score. The message tells viewers the reason. */
export class NoScoreError extends Error {
  override name = 'NoScoreError';
}

/** The judge model is unavailable; `cause` is the provider's error. */
class JudgeUnavailable extends NoScoreError {}

export type ScoringModel = Pick<ScoreResult, 'modelName' | 'promptHash'>;

interface Asking {
  run: SessionRun;
  scoreId: string;
  provider: string;
  llm: LlmSettings;
  window: PromptWindow;
  /** Maximum wait for the provider during an outage (ms); 0 if another model can score instead. */
  waitMs: number;
  limit: TimeLimit;
  offered: RequestTools;
  task: LlmTask;
}

export function scoringModel({ config, chain }: Pick<SessionRun, 'config' | 'chain'>): ScoringModel {
  return { modelName: resolveScoring(config, chain).provider.model, promptHash: promptHash() };
}

/**
 * Scores an investigation with the first available judge model. One score never combines answers of several models.
 * @throws NoScoreError, RunInterruptedError, the signal's reason
 */
export async function scoreInvestigation(
  run: SessionRun,
  score: ScoreRow,
  onNextJudge: (model: Pick<ScoringModel, 'modelName'>) => void,
): Promise<SubmittedScore> {
  const { config, chain, logger } = run;
  if (score.requestedBy === AUTOMATIC) await requireBudget(run);
  const models = withFallbacks(config, resolveScoring(config, chain));
  const judged = await tryModels(
    {
      ...run,
      models,
      onFallback({ content, metadata: { to } }) {
        logger.warn(content);
        onNextJudge({ modelName: to.model });
      },
    },
    async (model, isLast) => {
      try {
        return { score: await judgedBy(model, run, score, isLast) };
      } catch (failure) {
        if (!(failure instanceof JudgeUnavailable)) throw failure;
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
  const { session, config } = run;
  const analysis = session.finalAnalysis ?? '';
  const llm = withoutNativeTools(model);
  const offered = submitTools(model.strategy, SUBMIT);
  const material = await readMaterial(run.db, { sessionId: session.id, analysis, llm });
  const tools = await readOfferedTools(run.db, session.id);
  const { alertData, runbook } = run.alert;
  const outputs = toTaskOutputs(material);
  const asking: Asking = {
    ...{ run, scoreId: score.id, provider: model.providerName, llm, offered },
    window: createPromptWindow(llm),
    waitMs: isLast ? config.defaults.timeouts.llmOutageMs : 0,
    limit: createTimeLimit(run.signal, config.defaults.timeouts.scoringMs),
    task: { alert: alertData, runbook, works: [{ analysis, outputs }] },
  };
  const form = offered.tools.length === 0 ? `\n\n${jsonAnswerPrompt(SUBMIT.inputSchema)}` : '';
  const user = judgeUserPrompt({ alertData, runbook, analysis, material, tools });
  const messages: LlmMessage[] = [
    { role: 'SYSTEM', content: JUDGE_INSTRUCTIONS + form },
    { role: 'USER', content: user },
  ];
  const { last } = await submitWithRepair({
    async attempt(iteration) {
      const { text: content, toolCalls, providerTurn } = await ask(asking, messages, iteration);
      const role = 'ASSISTANT' as const;
      const answer = { role, content, toolCalls, ...(providerTurn && { providerTurn }) };
      return { answer, score: tryParse(answer) };
    },
    problemIn: ({ score: parsed }) =>
      parsed instanceof ScoreError ? unreadableScorePrompt(parsed.message) : null,
    sendBack({ answer }, problem) {
      const others = 'Rejected: submit one score.';
      messages.push(answer, ...repairMessages(answer, SUBMIT, { problem, others }));
    },
  });
  if (last.score instanceof ScoreError)
    throw new NoScoreError(`The judge returned an unusable answer. ${last.score.message}`);
  return last.score;
}

async function requireBudget({ budgets }: SessionRun): Promise<void> {
  const over = (await budgets?.read())?.find(({ share }) => share >= 1);
  if (over) throw new NoScoreError(`${describeUse(over, over.used)}. Only requested scores run.`);
}

function tryParse(answer: LlmMessage): SubmittedScore | ScoreError {
  try {
    return parseScore(submittedText(answer, SUBMIT));
  } catch (error) {
    if (error instanceof ScoreError) return error;
    throw error;
  }
}

/** Returns one answer of the model. Waits during an outage of its provider; the time limit does not count that wait. */
async function ask(asking: Asking, messages: readonly LlmMessage[], iteration: number): Promise<Answer> {
  const { run, provider, limit, window, offered } = asking;
  const until = performance.now() + asking.waitMs;
  for (;;) {
    try {
      const answer = await window.within({ messages, tools: offered.tools }, (sent) =>
        call(asking, sent, iteration),
      );
      run.availability.answered(provider);
      return answer;
    } catch (error) {
      if (error instanceof RunInterruptedError) throw error;
      run.signal.throwIfAborted();
      if (limit.signal.aborted) throw new NoScoreError('The judge exceeded its time limit.');
      const retryAfterMs = error instanceof LlmError ? error.retryAfterMs : 0;
      if (!classifyModelError(error).isOutage || performance.now() + retryAfterMs >= until)
        throw new JudgeUnavailable(`The judge is unavailable: ${describeError(error)}`, { cause: error });
      const waitMs = run.availability.backOff(provider, retryAfterMs);
      await waitPaused(limit, waitMs, run.availability.untilAnswered(provider));
      run.signal.throwIfAborted();
    }
  }
}

/** Makes one model call and records it even if it fails, because a failed call costs too. */
function call(asking: Asking, sent: Fitted<LlmMessage>, iteration: number): Promise<Answer> {
  const { run, scoreId, llm, limit, offered, task } = asking;
  const { id: sessionId } = run.session;
  return completeOnce({
    client: run.client,
    request: { purpose: 'SCORING', sessionId, executionId: scoreId, iteration, llm, task, ...offered },
    messages: sent.messages,
    shortens: false, // `ask` shortens, with one window for both answers
    signal: limit.signal,
    traceRequest: () => ({ scoreId, ...describeSent(sent) }),
    traceAnswer: ({ text, thinking, toolCalls }) => ({
      response: {
        text: maskedText(run, text),
        toolCalls: toolCalls.map((each) => ({ ...each, arguments: maskedText(run, each.arguments) })),
      },
      thinking: thinking ? maskedText(run, thinking) : null,
    }),
    record: (record) => recordEndedSessionCall(run.db, sessionId, record),
  });
}

function maskedText(run: SessionRun, text: string): string {
  try {
    return mask(run, text);
  } catch {
    return '[withheld: secrets in it could not be masked]';
  }
}

function mask({ masking, config }: SessionRun, text: string): string {
  return masking.maskText(config.redact(toStorable(text)));
}

/** Masks the texts of a score, because they quote tool results. @throws NoScoreError if masking fails */
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
