import { resolveExecutiveSummary } from '../../config/resolve.ts';
import { statusOfFailure } from '../agent/abort.ts';
import { usageOf } from '../agent/model-call.ts';
import { describeError } from '../agent/model-failure.ts';
import { recordLlmCall } from '../journal/interactions.ts';
import { openJournal } from '../journal/journal.ts';
import { readSummary } from '../journal/progress.ts';
import { collectStream, type LlmResponse } from '../llm/collect.ts';
import { createPromptWindow } from '../llm/window.ts';
import { EXECUTIVE_SUMMARY_SYSTEM_PROMPT, executiveSummaryUserPrompt } from '../prompts/executive-summary.ts';
import { describeSent, type Fitted } from '../prompts/fit.ts';
import { BreakOffError } from '../run/break-off.ts';
import { llmSettings } from './llm-settings.ts';
import type { SessionRun } from './run.ts';

/** Summaries belong to the session, not to a stage. */
const SESSION_LEVEL = { stageId: null, executionId: null };

/**
 * Asks the model for a short summary of the analysis. A failure does not fail the session: its reason is returned.
 * @throws the run's abort reason, LeaseLostError
 */
export async function writeExecutiveSummary(
  run: SessionRun,
  finalAnalysis: string,
): Promise<{ summary: string | null; error: string | null }> {
  const written = run.fence.attempt > 1 ? await readSummary(run.db, run.session.id) : null;
  if (written !== null) return { summary: written, error: null };
  const resolved = resolveExecutiveSummary(run.config, run.chain);
  const llm = { ...llmSettings(resolved), nativeTools: {} }; // it says nothing that is not in the analysis
  const timeout = AbortSignal.timeout(run.config.defaults.timeouts.executiveSummaryMs);
  const signal = AbortSignal.any([run.signal, timeout]);
  const messages = [
    { role: 'SYSTEM', content: EXECUTIVE_SUMMARY_SYSTEM_PROMPT },
    { role: 'USER', content: executiveSummaryUserPrompt(finalAnalysis) },
  ] as const;
  let sent: Fitted<(typeof messages)[number]> = { messages, shortened: null, weight: 0 };
  const startedAt = performance.now();
  const journal = openJournal(run, SESSION_LEVEL);
  const recorded = (response: Partial<LlmResponse>, errorMessage: string | null) =>
    recordLlmCall(SESSION_LEVEL, {
      type: 'EXECUTIVE_SUMMARY',
      iteration: null,
      provider: llm.provider,
      modelName: llm.model,
      request: { backend: llm.backend, model: llm.model, ...describeSent(sent) },
      response: { text: response.text ?? '' },
      thinking: response.thinking || null,
      lastMessageSequence: null,
      usage: usageOf(response),
      durationMs: performance.now() - startedAt,
      errorMessage,
    });

  const item = journal.openItem('EXECUTIVE_SUMMARY');
  await journal.write();
  try {
    // The session's id stands in for the execution's: provider caches must not mix it with an agent's.
    const { id } = run.session;
    const response = await createPromptWindow(llm).within({ messages, tools: [] }, (fitted) => {
      sent = fitted;
      const purpose = 'EXECUTIVE_SUMMARY';
      const request = {
        sessionId: id,
        executionId: id,
        messages: fitted.messages,
        llm,
        tools: [],
        purpose,
        task: { shorten: finalAnalysis },
      } as const;
      return collectStream(run.client.generate(request, { signal }), { onText: item.append });
    });
    if (response.text.trim() === '') throw new Error('The model gave an empty summary.');
    const summary = await item.close({ status: 'COMPLETED' });
    await journal.write(...recorded(response, null));
    return { summary, error: null };
  } catch (error) {
    if (error instanceof BreakOffError) throw error;
    const status = statusOfFailure(run.signal.aborted ? run.signal.reason : error);
    await item.close({ status, metadata: { interrupted: true } });
    await journal.write(...recorded({}, describeError(error)));
    run.signal.throwIfAborted();
    run.logger.warn({ err: error }, 'executive summary failed');
    return { summary: null, error: describeError(error) };
  }
}
