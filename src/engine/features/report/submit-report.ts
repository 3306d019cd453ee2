import type { TimeLimit } from '../../../common/time-limit.ts';
import type { Verdict } from '../../../db/enums.ts';
import { callModel } from '../../agent/calls/model-call.ts';
import { openConversation } from '../../agent/opening.ts';
import type { ReportMetrics } from '../../api/observer.ts';
import { statusOfFailure } from '../../common/interruptions.ts';
import { describeError, ModelCallError } from '../../model/errors.ts';
import type { Codec, RequestTools } from '../../run-context/codec.ts';
import { conclusionLimit } from '../../run-context/time-budget.ts';
import type { AgentContext, AgentResult } from '../../run-context/types.ts';
import type { RowChange } from '../../store/event-statement.ts';
import type { NewMessage } from '../../store/messages.ts';
import { jsonAnswerPrompt, repairPrompt, unreadableReportPrompt } from './prompt.ts';
import { ReportError, type SubmitTool, type SubmittedClaims } from './schema.ts';
import { repairMessages, submitTools, submittedText, submitWithRepair } from './submission.ts';
import type { VerifiedReport } from './verify/types.ts';
import { verifyClaims } from './verify-claims.ts';

export interface ReportForm<Report extends SubmittedClaims> {
  of: ReportMetrics['of'];
  submit: SubmitTool;
  /** Parses a model's submission. @throws ReportError */
  read: (text: string) => Report;
  /** @param byRules true if the offline rules wrote the report */
  stored: (report: Report, verified: VerifiedReport, byRules: boolean) => RowChange[];
  verdict: (report: Report) => Verdict | null;
}

interface Submitted<Report> {
  report: Report;
  verified: VerifiedReport;
}

interface Missing {
  status: 'FAILED' | 'TIMED_OUT';
  reason: string;
  /** Prompt that asks the model to repair its report; `null` if the model gave no answer to repair. */
  problem: string | null;
}

interface Attempt {
  number: number;
  offered: RequestTools;
  limit: TimeLimit;
}

/** Streams nothing to viewers, because they see a report only after its verification. */
const HIDDEN: Pick<Codec, 'gate' | 'traced'> = {
  gate: () => ({ add: () => '', end: () => '' }),
  traced: (text) => text,
};

/**
 * Lets the model submit a report, resuming from stored messages. The model may repair an invalid report or unproven
 * claims once; remaining problems are stored with the report. @throws the session's abort reason, LeaseLostError
 */
export async function submitReport<Report extends SubmittedClaims>(
  context: AgentContext,
  form: ReportForm<Report>,
): Promise<AgentResult> {
  const { transcript, resolved, observer } = context;
  const begun = performance.now();
  const limit = conclusionLimit(context, resolved.timeouts.iterationMs);
  const offered = submitTools(resolved.strategy, form.submit);
  const inText = offered.tools.length === 0;
  await openConversation(context, [], inText ? jsonAnswerPrompt(form.submit.inputSchema) : undefined);
  const { first, last } = await submitWithRepair<Submitted<Report> | Missing>({
    attempt: async (number) =>
      (await ask(context, { number, offered, limit })) ??
      verify(context, form, answersIn(context)[number - 1]!),
    problemIn: (attempt) => ('report' in attempt ? repairPrompt(attempt) : attempt.problem),
    async sendBack(_, problem) {
      const answer = transcript.messages.at(-1);
      if (answer?.role !== 'ASSISTANT') return; // an earlier run asked for the repair
      const others = 'Rejected: submit one report.';
      for (const message of repairMessages(answer, form.submit, { problem, others }))
        await transcript.addMessage({ ...message, ...(message.role === 'TOOL' && { failed: true }) });
    },
  });
  const submitted = 'report' in last ? last : 'report' in first ? first : null; // a report with problems is better than none
  const count = (outcome: ReportMetrics['outcome']) =>
    observer.metrics.reported({
      ...{ of: form.of, outcome, durationMs: performance.now() - begun, repaired: last !== first },
      verdict: submitted && form.verdict(submitted.report),
      statuses: submitted?.verified.claims.map(({ status }) => status) ?? [],
    });
  if (submitted) {
    count('COMPLETED');
    const byRules = resolved.backend === 'offline';
    const noted = form.stored(submitted.report, submitted.verified, byRules);
    return { status: 'COMPLETED', finalAnalysis: null, errorMessage: null, noted };
  }
  const { status, reason } = last as Missing;
  count(status);
  await transcript.addEvent({ type: 'ERROR', content: `No report: ${reason}` });
  return { status, finalAnalysis: null, errorMessage: reason };
}

function answersIn({ transcript }: AgentContext): NewMessage[] {
  return transcript.messages.filter(({ role }) => role === 'ASSISTANT');
}

/** Asks the model for an answer, unless an earlier run stored it. @returns the failure; `null` if there is an answer */
async function ask(context: AgentContext, { number, offered, limit }: Attempt): Promise<Missing | null> {
  if (answersIn(context).length >= number) return null;
  try {
    const call = { codec: HIDDEN, offered, type: 'REPORT', iteration: number, limit } as const;
    const { text, toolCalls, providerTurn } = await callModel(context, call, { waitsForProvider: false });
    await context.transcript.addMessage({
      role: 'ASSISTANT',
      content: text,
      toolCalls,
      ...(providerTurn && { providerTurn }),
    });
    return null;
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    context.signal.throwIfAborted();
    const status = statusOfFailure(error.cause) === 'TIMED_OUT' ? 'TIMED_OUT' : 'FAILED';
    return { status, reason: describeError(error.cause), problem: null };
  }
}

/** Parses and verifies a stored answer, so that a resumed run gets the same result. */
async function verify<Report extends SubmittedClaims>(
  context: AgentContext,
  { submit, read }: ReportForm<Report>,
  message: NewMessage,
): Promise<Submitted<Report> | Missing> {
  let report: Report;
  try {
    report = read(submittedText(message, submit));
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    const reason = `The model returned an unreadable report. ${error.message}`;
    return { status: 'FAILED', reason, problem: unreadableReportPrompt(error.message) };
  }
  return { report, verified: await verifyClaims(context, report.claims) };
}
