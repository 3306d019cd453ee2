import { z } from 'zod';
import { OperationError, type Refusable, type Run, succeeded } from '../run-operation.ts';
import { defineTool } from '../tool.ts';
import { readUntil } from '../wait.ts';
import { investigationId, waitInput } from './shared.ts';

interface Asked extends Refusable {
  chatMessage?: { id: string };
}

interface Answer {
  stage: {
    status: string;
    errorMessage: string | null;
    executions: { timeline: { type: string; content: string }[] }[];
  } | null;
  report: object | null;
}

const WORKING: readonly string[] = ['PENDING', 'ACTIVE'];

export const askInvestigation = defineTool({
  name: 'ask_investigation',
  title: 'Ask about an investigation',
  description:
    'Asks the agents of an investigation a question. They may read further data to answer. Returns the answer with its claims, or ' +
    '`question` to call again with if it is not ready.',
  input: z.object({
    id: investigationId,
    text: z.string().min(1).optional().describe('The question. Omit it to wait for an earlier one.'),
    question: z.string().optional().describe('Id of an earlier question, to wait for its answer.'),
    wait_seconds: waitInput.default(45),
  }),
  readOnly: false,
  async call({ id, text, question, wait_seconds }, context) {
    const asked = question ?? (await ask(context.run, id, text ?? ''));
    const { stage, report } = await readUntil(
      {
        read: () => readAnswer(context.run, asked),
        isDone: (found) => found.stage !== null && !WORKING.includes(found.stage.status),
        describe: (found) =>
          found.stage === null ? 'The question is queued.' : 'The answer is being written.',
        seconds: wait_seconds,
      },
      context,
    );
    const timeline = stage?.executions.flatMap((execution) => execution.timeline) ?? [];
    return {
      question: asked,
      status: stage?.status ?? 'PENDING',
      error: stage?.errorMessage ?? null,
      answer: timeline.findLast(({ type }) => type === 'FINAL_ANALYSIS')?.content ?? null,
      report,
    };
  },
});

const ANSWER = `query McpAnswer($id: ID!) { node(id: $id) { ... on ChatMessage {
  stage { status errorMessage executions { timeline { type content } } }
  report { evidenceScore claims { kind text status problem citations { source quote } } } } } }`;

/** @throws OperationError if no question that the client may read has the id */
async function readAnswer(run: Run, id: string): Promise<Answer> {
  const { node } = await run<{ node: Answer | Record<string, never> | null }>(ANSWER, { id });
  if (node === null || !('stage' in node))
    throw new OperationError('NOT_FOUND', 'There is no question with this id.');
  return node as Answer;
}

/** Asks a question. Reads the investigation first, so that a client that may not read the answer asks nothing. */
async function ask(run: Run, id: string, content: string): Promise<string> {
  await run('query McpMayRead($id: ID!) { session(id: $id) { id title } }', { id });
  const { sendChatMessage } = await run<{ sendChatMessage: Asked }>(
    `mutation McpAsk($input: SendChatMessageInput!) { sendChatMessage(input: $input) {
       ... on SendChatMessageSuccess { chatMessage { id } } ... on Error { code message } } }`,
    { input: { sessionId: id, content } },
  );
  return succeeded(sendChatMessage).chatMessage!.id;
}

export const addHint = defineTool({
  name: 'add_hint',
  title: 'Give a hint',
  description:
    'Gives a note to the agents of a running investigation, such as a suspected cause. Agents read it before their next step; it never ' +
    'counts as evidence.',
  input: z.object({
    id: investigationId,
    text: z.string().min(1),
    agent: z.string().optional().describe('Name of one agent. Omit it for all.'),
  }),
  readOnly: false,
  async call({ id, text, agent }, { run }) {
    const { addHint: result } = await run<{ addHint: Refusable & { hint?: object } }>(
      `mutation McpAddHint($input: AddHintInput!) { addHint(input: $input) {
         ... on AddHintSuccess { hint { id } } ... on Error { code message } } }`,
      { input: { sessionId: id, text, agent } },
    );
    return succeeded(result);
  },
});

export const conclude = defineTool({
  name: 'conclude',
  title: 'Conclude an investigation',
  description: 'Asks the agents of a running investigation to conclude now, from what they have.',
  input: z.object({ id: investigationId }),
  readOnly: false,
  async call({ id }, { run }) {
    const { concludeSession } = await run<{ concludeSession: Refusable & { session?: object } }>(
      `mutation McpConclude($id: ID!) { concludeSession(id: $id) {
         ... on ConcludeSessionSuccess { session { status } } ... on Error { code message } } }`,
      { id },
    );
    return succeeded(concludeSession).session!;
  },
});
