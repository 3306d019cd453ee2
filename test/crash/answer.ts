import { expect } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Followed, follow, newFollower } from '../helpers/follower.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';
import { conversation, expectNothingTwice, expectReconstructed, type Message } from './expectations.ts';
import type { Lane } from './lane.ts';
import type { Story } from './sweep.ts';

export const ANSWER_CONFIG = { defaults: { report: { enabled: true } } };

/**
 * Scripts an investigation that ends at once, and an answer to a question that reads, changes something, and
 * makes claims which need a correction.
 */
export function scriptAnswer(llm: ScriptedLlm): void {
  llm.otherwise((request) => {
    const { user, answers } = conversation(request);
    if (request.purpose === 'report')
      return toolCall(request.toolChoice, report(user, answers), `report-${answers}`);
    if (request.tools.length === 0) return { text: 'In short.' };
    const place = /Place \d+ \([\w-]+\)/.exec(user)![0];
    if (!user.includes(QUESTION)) return { text: 'The disk is full.' };
    if (answers > 0) return { text: ['It is ', '/var.'] };
    return [
      { thinking: ['Which ', 'one?'] },
      { text: ['Let me look.'] },
      toolCall('tools.echo', { text: 'var' }, 'chat-1'),
      toolCall('tools.note', { text: place }, 'chat-2'),
    ];
  });
}

/**
 * Returns the report. The session's report says that nothing is known; the answer's report has two claims,
 * and the model corrects one of them.
 */
function report(user: string, answers: number) {
  const said = { verdict: 'INCONCLUSIVE', headline: 'Not known.', confidence: 0, entities: [] };
  const source = /^(T\d+): tools\.echo /m.exec(user)?.[1];
  if (source === undefined)
    return { ...said, claims: [{ kind: 'GAP', text: 'All of it.', citations: [], facts: [] }] };
  const claim = (text: string, quote: string) => ({
    ...{ kind: 'OBSERVATION', text },
    citations: [{ source, quote }],
    facts: [claimedFact('echo', 'echo', quote.replace('echo: ', ''))],
  });
  const claims = [
    claim('It was looked up.', answers === 0 ? 'echo: home' : 'echo: var'),
    claim('It was looked up again.', 'echo: usr'),
  ];
  return { claims };
}

const QUESTION = 'Which directory fills the disk?';

interface Tree {
  status: string;
  finalAnalysis: string | null;
  stages: {
    index: number;
    type: string;
    status: string;
    executions: { status: string; messages: Message[] }[];
  }[];
  timeline: { id: string; sequenceNumber: number; type: string; status: string; content: string }[];
  chat: {
    messages: {
      content: string;
      stage: { status: string };
      report: { claims: { status: string }[] } | null;
    }[];
  };
}

/**
 * The story of an answer to a question about an ended investigation, from the claim of the answer's run to
 * its end.
 */
export const answer: Story = {
  async prepare(lane, name) {
    const { api } = lane.cluster;
    const id = await api.submit(name);
    await api.waitFor(id, ({ status }) => ENDED.has(status));
    return async () => {
      const stage = await ask(lane, id);
      const follower = newFollower();
      const watched = Promise.withResolvers<void>();
      const ended = follow(api, id, follower, {
        isEnd: () => false, // the status of the session, which ended long ago, tells nothing about the answer
        cut: () => ENDED.has(follower.stages.get(stage) ?? ''),
        onItem: (type) => type === 'CaughtUp' && watched.resolve(),
      });
      const read = () => readTree(lane, id);
      return {
        watched: watched.promise,
        ended,
        read,
        check: async () => expectAnswered(await read(), follower, lane.notes),
      };
    };
  },
};

async function ask({ cluster }: Lane, sessionId: string): Promise<string> {
  const { sendChatMessage } = await cluster.api.query<{ sendChatMessage: { stage: { id: string } } }>(
    `mutation ($input: SendChatMessageInput!) { sendChatMessage(input: $input) {
       ... on SendChatMessageSuccess { stage { id } } } }`,
    { input: { sessionId, content: QUESTION } },
  );
  return sendChatMessage.stage.id;
}

async function readTree({ cluster }: Lane, id: string): Promise<Tree> {
  const { session } = await cluster.api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis
       stages { index type status executions { status messages { role content toolCalls { id name } } } }
       timeline { id sequenceNumber type status content } chat { messages { content stage { status } report { claims { status } } } } } }`,
    { id },
  );
  return session;
}

/** Asserts that the investigation is unchanged and that there is exactly one complete answer. */
function expectAnswered(tree: Tree, follower: Followed, notes: readonly string[]): void {
  expect(tree).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'The disk is full.' });
  expect(tree.stages.map(({ index, type, status }) => [index, type, status])).toEqual([
    [1, 'INVESTIGATION', 'COMPLETED'],
    [2, 'REPORT', 'COMPLETED'],
    [3, 'CHAT', 'COMPLETED'],
  ]);
  const claims = ['SUPPORTED', 'UNSUPPORTED'].map((status) => ({ status }));
  expect(tree.chat.messages).toEqual([
    { content: QUESTION, stage: { status: 'COMPLETED' }, report: { claims } },
  ]);
  const { executions } = tree.stages[2]!;
  expect(executions.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
  const handedIn = executions[1]!.messages.map(({ role, toolCalls }) => [
    role,
    ...toolCalls.map(({ id }) => id),
  ]);
  expect(handedIn).toEqual([
    ...[['SYSTEM'], ['USER'], ['ASSISTANT', 'report-0'], ['TOOL'], ['ASSISTANT', 'report-1']],
  ]);
  expectNothingTwice(executions[0]!.messages);
  expect(tree.timeline.filter(({ type }) => type === 'USER_QUESTION')).toHaveLength(1);
  expect(tree.timeline.at(-1)).toMatchObject({ type: 'FINAL_ANALYSIS', content: 'It is /var.' });
  expect(new Set(notes).size).toBe(notes.length);
  expectReconstructed(tree.timeline, follower);
}
