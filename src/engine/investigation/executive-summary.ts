import { withFallbacks } from '../../config/resolve.ts';
import { resolveExecutiveSummary } from '../../config/resolve-calls.ts';
import { writeAside } from '../agent/calls/single-completion.ts';
import type { SessionRun } from '../run-context/types.ts';
import type { Change } from '../store/event-statement.ts';
import { recordLlmCall } from '../store/interactions.ts';
import { openJournal } from '../store/journal.ts';
import type { NewReport } from '../store/reports.ts';
import { addItem } from '../store/timeline.ts';
import {
  claimLines,
  EXECUTIVE_SUMMARY_SYSTEM_PROMPT,
  executiveSummaryUserPrompt,
  reportSummaryUserPrompt,
} from './executive-summary.merge1.ts';

/** Summaries belong to the session, not to a stage. */
const SESSION_LEVEL = { stageId: null, executionId: null };

/**
 * Asks the model for a short summary: of what the report proves, or of the analysis where there is none. A failure does not fail the session: its reason is returned.
 * @returns `noted`: the summary's end, which is written with what follows from it
 * @throws the run's abort reason, LeaseLostError
 */
export async function writeExecutiveSummary(
  run: SessionRun,
  finalAnalysis: string,
  report: NewReport | null,
): Promise<{ summary: string | null; error: string | null; noted: Change[] }> {
  const { id } = run.session;
  const journal = openJournal(run, SESSION_LEVEL);
  const shorten = report ? claimLines(report) : finalAnalysis;
  const user = report ? reportSummaryUserPrompt(shorten) : executiveSummaryUserPrompt(shorten);
  const timeout = AbortSignal.timeout(run.config.defaults.timeouts.executiveSummaryMs);
  const written = await writeAside({
    client: run.client,
    models: withFallbacks(run.config, resolveExecutiveSummary(run.config, run.chain)),
    circuits: run.circuits,
    type: 'EXECUTIVE_SUMMARY',
    sessionId: id,
    executionId: id,
    prompt: { system: EXECUTIVE_SUMMARY_SYSTEM_PROMPT, user },
    shorten,
    async open() {
      const item = journal.openItem('EXECUTIVE_SUMMARY');
      await journal.write();
      return item;
    },
    async fellBack(event) {
      const { from, to, reason } = event.metadata;
      run.observer.metrics.fellBack(from.provider, to.provider, reason);
      await journal.write(addItem(SESSION_LEVEL, { ...event, status: 'COMPLETED' }));
    },
    async record(record) {
      journal.note(...recordLlmCall(SESSION_LEVEL, record));
    },
    signal: AbortSignal.any([run.signal, timeout]),
  });
  if ('text' in written) return { summary: written.text, error: null, noted: await journal.take() };
  await journal.write();
  run.signal.throwIfAborted();
  run.logger.warn({ reason: written.failure }, 'executive summary failed');
  return { summary: null, error: written.failure, noted: [] };
}
