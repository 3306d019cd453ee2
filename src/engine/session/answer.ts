import { resolveChat } from '../../config/resolve.ts';
import type { ChatUserMessageRow, StageRow } from '../../db/entities/index.ts';
import { closeItems } from '../journal/open.ts';
import { readStageProgress } from '../journal/progress.ts';
import { writeStep } from '../journal/step.ts';
import { addItem } from '../journal/timeline.ts';
import { chatSystemPrompt, chatUserPrompt } from '../prompts/chat.ts';
import { readChatHistory } from './chat-history.ts';
import { type ExecutionOutcome, execute } from './execute.ts';
import { alertOf, type SessionRun, selectionOf, serverInstructions, subjectOf } from './run.ts';

/**
 * Answers a question about a session with the chat's agent: the same controllers as an investigation, with other words.
 * @throws the run's abort reason, BreakOffError
 */
export async function answerQuestion(
  run: SessionRun,
  stage: StageRow,
  question: ChatUserMessageRow,
): Promise<ExecutionOutcome> {
  if (stage.attempt > 1) await writeStep(run.db, run.fence, [closeItems('CANCELLED')]); // of an answer that broke off
  const progress = await readStageProgress(run.db, stage.id);
  if (!progress.hasQuestion) await writeStep(run.db, run.fence, [shownQuestion(stage, question)]);
  const resolved = resolveChat(run.config, run.chain);
  const selection = selectionOf(run, resolved.mcpServers, question.content);
  const history = await readChatHistory(run.db, run.session.id, stage);
  return execute(run, {
    stageId: stage.id,
    agentIndex: 1,
    displayName: resolved.agentName,
    resolved,
    interactionType: 'CHAT_RESPONSE',
    selection,
    progress: progress.executions.get(1),
    task: {
      ...subjectOf(run),
      instructions: resolved.customInstructions,
      question: question.content,
      works: history.map(({ work }) => work),
    },
    opening: (tools) => {
      const prompt = {
        ...alertOf(run),
        ...tools,
        agentName: resolved.agentName,
        history,
        question: question.content,
        mcpServers: serverInstructions(run, selection),
        customInstructions: resolved.customInstructions,
        now: new Date(),
      };
      return { system: chatSystemPrompt(prompt), user: chatUserPrompt(prompt) };
    },
  });
}

function shownQuestion({ id }: StageRow, { content, author }: ChatUserMessageRow) {
  const place = { stageId: id, executionId: null };
  return addItem(place, { type: 'USER_QUESTION', status: 'COMPLETED', content, metadata: { author } });
}
