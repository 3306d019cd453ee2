import type { ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import { chatSystemPrompt, chatUserPrompt, readChatHistory } from '../investigation/chat-prompt.ts';
import { answerReporter } from '../investigation/report-stage.ts';
import { runStage, type StagePlan } from '../investigation/stage.ts';
import { planToolAgent, withSessionRun } from '../run-context/session-run.ts';
import type { AgentPlan, RunDeps, SessionRun } from '../run-context/types.ts';
import { claimChatStage, endAnswer, readQuestion, releaseChat } from '../store/chats.ts';
import { writeStep } from '../store/event-statement.ts';
import type { Claim, ClaimedRun, Outcome } from '../store/lease.ts';
import { closeItems } from '../store/open-work.ts';
import { readStageProgress } from '../store/progress.ts';
import { renewLease } from '../store/sessions.ts';
import { addItem } from '../store/timeline.ts';
import type { LeasedJob } from './lease-holder.ts';

export interface AnswerDeps extends RunDeps {
  heartbeats: Queryable;
  transaction: Transaction;
  workerId: string;
  enqueueAnswer: (tx: Queryable, stageId: string) => Promise<void>;
}

/** The answer to a question about a session: a stage of the chat's agent. */
export function answerJob(deps: AnswerDeps, stageId: string): LeasedJob {
  const { transaction, enqueueAnswer } = deps;
  let stage: StageRow;
  return {
    name: 'answer',
    async claim() {
      const claimed = await claim(deps, stageId);
      if (!claimed) return null;
      ({ stage } = claimed);
      return claimed;
    },
    run: (held) => run(deps, held, stage),
    end: (outcome, { fence }) =>
      transaction(async (tx) => {
        await endAnswer(tx, fence, stageId, outcome);
        await releaseChat(tx, fence, enqueueAnswer);
      }),
    giveBack: ({ fence }) => transaction((tx) => releaseChat(tx, fence, enqueueAnswer)),
    decline: () => transaction((tx) => enqueueAnswer(tx, stageId)),
  };
}

async function claim(deps: AnswerDeps, stageId: string): Promise<(Claim & { stage: StageRow }) | null> {
  const { leaseDurationMs: leaseMs } = deps.config.queue;
  const lease = { workerId: deps.workerId, leaseMs };
  const claimed = await deps.transaction((tx) => claimChatStage(tx, stageId, lease));
  if (!claimed) return null;
  const { fence } = claimed;
  const logger = deps.logger.child({ ...fence, stageId });
  return { ...claimed, renew: () => renewLease(deps.heartbeats, fence, leaseMs), logger };
}

async function run(deps: AnswerDeps, held: ClaimedRun, stage: StageRow): Promise<Outcome> {
  if (stage.cancelRequestedAt) return { status: 'CANCELLED', errorMessage: 'Cancelled.' };
  const { maxAttempts } = deps.config.queue;
  if (stage.workersLost >= maxAttempts)
    return failed(`The worker of this answer was lost ${maxAttempts} times; it is not begun again.`);
  const asked = await readQuestion(held.db, stage);
  if (!asked) return failed('The session is not there any more.');
  const { session, question } = asked;
  const facts = { 'tarsy.attempt': stage.attempt, 'tarsy.stage.type': 'CHAT' };
  return withSessionRun({ ...deps, ...held }, session, facts, (whole) => answerStage(whole, stage, question));
}

function failed(errorMessage: string): Outcome {
  return { status: 'FAILED', errorMessage };
}

async function answerStage(run: SessionRun, stage: StageRow, question: ChatUserMessageRow): Promise<Outcome> {
  const { db, fence } = run;
  if (stage.attempt > 1) await writeStep(db, fence, [closeItems('CANCELLED')]); // of an answer that broke off
  const { executions, subAgents, hasQuestion } = await readStageProgress(db, stage.id);
  if (!hasQuestion) await writeStep(db, fence, [shown(stage, question)]);
  const { status, errorMessage } = await runStage(run, planOf(run, stage, question), {
    row: stage,
    executions,
    subAgents,
  });
  return { status, errorMessage };
}

function planOf(run: SessionRun, stage: StageRow, question: ChatUserMessageRow): StagePlan {
  return {
    name: stage.name,
    index: stage.index,
    type: 'CHAT',
    parallelType: null,
    successPolicy: null,
    expectedAgentCount: 1,
    referencedStageId: null,
    agents: async () => [await planAnswerer(run, stage, question)],
    follow: async (finalAnalysis) =>
      (await restsOnResults(run, stage, finalAnalysis))
        ? answerReporter(run, { question: question.content, stage }, finalAnalysis)
        : null,
  };
}

/** What cites no result and looked nothing up claims nothing that could be checked. */
async function restsOnResults({ db }: SessionRun, { id }: StageRow, text: string): Promise<boolean> {
  if (/\bT\d{1,9}\b/.test(text)) return true;
  const { rows } = await db.query(
    `select 1 from timeline_events where stage_id = $1 and type = 'LLM_TOOL_CALL' limit 1`,
    [id],
  );
  return rows.length > 0;
}

function shown({ id }: StageRow, { content, author }: ChatUserMessageRow) {
  const place = { stageId: id, executionId: null };
  return addItem(place, { type: 'USER_QUESTION', status: 'COMPLETED', content, metadata: { author } });
}

async function planAnswerer(
  run: SessionRun,
  stage: StageRow,
  { content: question, author }: ChatUserMessageRow,
): Promise<AgentPlan> {
  const resolved = run.chainPlan.chat();
  const history = await readChatHistory(run.db, run.session.id, stage);
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
