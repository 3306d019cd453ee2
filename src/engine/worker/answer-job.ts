import type { ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import { chatSystemPrompt, chatUserPrompt, readChatHistory } from '../investigation/chat-prompt.ts';
import { answerReporter } from '../investigation/report-stage.ts';
import { runStage, SINGLE_AGENT, type StagePlan } from '../investigation/stage.ts';
import { planToolAgent, withSessionRun } from '../run-context/session-run.ts';
import type { AgentPlan, ClaimedRun, RunOutcome, SessionRun } from '../run-context/types.ts';
import { claimChatStage, endAnswer, readQuestion, releaseChat } from '../store/chats.ts';
import { writeRows } from '../store/event-statement.ts';
import { closeTimelineEvents } from '../store/open-work.ts';
import { readStageProgress } from '../store/progress.ts';
import { renewLease } from '../store/sessions.ts';
import { addTimelineEvent } from '../store/timeline.ts';
import { failed, type JobClaim, type JobDeps, type LeasedJob, outcomeWithoutRun } from './lease-holder.ts';

type AnswerClaim = JobClaim & { stage: StageRow };

/** Creates the job that answers a question about a session, in a stage of its own. */
export function answerJob(deps: JobDeps, stageId: string): LeasedJob<AnswerClaim> {
  const { transaction, enqueueAnswer } = deps;
  return {
    name: 'answer',
    claim: () => claimAnswer(deps, stageId),
    run: (claimed, { stage }) => runAnswer(deps, claimed, stage),
    end: (outcome, { fence }) =>
      transaction(async (tx) => {
        await endAnswer(tx, fence, stageId, outcome);
        await releaseChat(tx, fence, enqueueAnswer);
      }),
    release: ({ fence }) => transaction((tx) => releaseChat(tx, fence, enqueueAnswer)),
    requeue: () => transaction((tx) => enqueueAnswer(tx, stageId)),
  };
}

async function claimAnswer(deps: JobDeps, stageId: string): Promise<AnswerClaim | null> {
  const { leaseDurationMs: leaseMs } = deps.config.queue;
  const lease = { workerId: deps.workerId, leaseMs };
  const claimed = await deps.transaction((tx) => claimChatStage(tx, stageId, lease));
  if (!claimed) return null;
  const { fence } = claimed;
  const logger = deps.logger.child({ ...fence, stageId });
  return { ...claimed, renew: () => renewLease(deps.heartbeats, fence, leaseMs), logger };
}

async function runAnswer(deps: JobDeps, claimed: ClaimedRun, stage: StageRow): Promise<RunOutcome> {
  const outcome = outcomeWithoutRun(stage, 'answer', deps.config.queue);
  if (outcome) return outcome;
  const asked = await readQuestion(claimed.db, stage);
  if (!asked) return failed('The session was deleted.');
  const { session, question: message } = asked;
  const facts = { 'tarsy.attempt': stage.attempt, 'tarsy.stage.type': 'CHAT' };
  return withSessionRun({ ...deps, ...claimed }, session, facts, (run) => runChatStage(run, stage, message));
}

async function runChatStage(
  run: SessionRun,
  stage: StageRow,
  message: ChatUserMessageRow,
): Promise<RunOutcome> {
  if (stage.attempt > 1) await writeRows(run.db, run.fence, [closeTimelineEvents('CANCELLED')]);
  const { hasQuestion, ...progress } = await readStageProgress(run.db, {
    sessionId: run.session.id,
    stageId: stage.id,
  });
  if (!hasQuestion) {
    const { content, author } = message;
    const item = { type: 'USER_QUESTION', status: 'COMPLETED', content, metadata: { author } } as const;
    await writeRows(run.db, run.fence, [addTimelineEvent({ stageId: stage.id, executionId: null }, item)]);
  }
  const plan = chatStagePlan(run, stage, message);
  const { status, errorMessage } = await runStage(run, plan, { row: stage, ...progress });
  return { status, errorMessage };
}

function chatStagePlan(run: SessionRun, stage: StageRow, message: ChatUserMessageRow): StagePlan {
  return {
    ...SINGLE_AGENT,
    name: stage.name,
    index: stage.index,
    type: 'CHAT',
    agents: async () => [await planAnswerer(run, stage, message)],
    follow: async (finalAnalysis) =>
      (await usesToolResults(run, stage, finalAnalysis))
        ? answerReporter(run, { question: message.content, stage }, finalAnalysis)
        : null,
  };
}

/** True if the answer cites a tool result or its agent called a tool. Only then can its claims be verified. */
async function usesToolResults(run: SessionRun, { id }: StageRow, answer: string): Promise<boolean> {
  if (/\bT\d{1,9}\b/.test(answer)) return true;
  const { rows } = await run.db.query(
    `select 1 from timeline_events where session_id = $1 and stage_id = $2 and type = 'LLM_TOOL_CALL' limit 1`,
    [run.session.id, id],
  );
  return rows.length > 0;
}

async function planAnswerer(
  run: SessionRun,
  stage: StageRow,
  { content: question, author }: ChatUserMessageRow,
): Promise<AgentPlan> {
  const resolved = run.chainPlan.chat();
  const history = await readChatHistory(run.db, stage);
  return planToolAgent(run, {
    name: resolved.agentName,
    resolved,
    interactionType: 'CHAT_RESPONSE',
    askedBy: author,
    question,
    task: { question, works: history.map(({ work }) => work) },
    messages: (prompt) => {
      const chat = { ...prompt, history, question };
      return { system: chatSystemPrompt(chat), user: chatUserPrompt(chat) };
    },
  });
}
