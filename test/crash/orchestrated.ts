import { expect } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Followed, follow, newFollower } from '../helpers/follower.ts';
import {
  conversationProblems,
  endsOf,
  ORCHESTRATED_ENDS,
  type OrchestratedExecution,
  type OrchestratedMessage,
  orchestratedAnswer,
} from '../helpers/orchestrated.ts';
import type { ScriptedLlm } from '../helpers/scripted-llm/index.ts';
import { expectReconstructed } from './expectations.ts';
import type { Lane } from './lane.ts';
import type { Story } from './sweep.ts';

export function scriptOrchestrated(llm: ScriptedLlm): void {
  llm.otherwise(orchestratedAnswer);
}

interface Tree {
  status: string;
  finalAnalysis: string | null;
  stages: { executions: (OrchestratedExecution & { messages: OrchestratedMessage[] })[] }[];
  timeline: { id: string; sequenceNumber: number; type: string; status: string; content: string }[];
}

/**
 * The story of an agent with three sub-agents: one is cancelled, one exceeds its time limit, one has a
 * sub-agent of its own.
 */
export const orchestrated: Story = {
  prepare: async (lane, name) => async () => {
    const id = await lane.cluster.api.submit(name);
    const follower = newFollower();
    const watched = Promise.withResolvers<void>();
    const ended = follow(lane.cluster.api, id, follower, {
      isEnd: (status) => ENDED.has(status),
      onItem: (type) => type === 'CaughtUp' && watched.resolve(),
    });
    const read = () => readTree(lane, id);
    return {
      watched: watched.promise,
      ended,
      read,
      check: async () => expectWhole(await read(), follower, lane, name),
    };
  },
};

async function readTree({ cluster }: Lane, id: string): Promise<Tree> {
  const { session } = await cluster.api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis
       stages { executions { agentName status errorMessage parent { agentName } messages { role content toolCallId toolCalls { id } } } }
       timeline { id sequenceNumber type status content } } }`,
    { id },
  );
  return session;
}

/**
 * Asserts that no sub-agent runs twice, that each end is reported once, and that messages keep their
 * position.
 */
function expectWhole(tree: Tree, follower: Followed, { notes, cluster }: Lane, name: string): void {
  expect(tree).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'All are heard.' });
  const { executions } = tree.stages[0]!;
  expect(endsOf(executions)).toEqual(ORCHESTRATED_ENDS);
  const of = (agent: string) => executions.find(({ agentName }) => agentName === agent)!.messages;
  expect(conversationProblems(of('Lead'), 3)).toEqual([]);
  expect(conversationProblems(of('Middle'), 1)).toEqual([]);
  expect(conversationProblems(of('Leaf'), 0)).toEqual([]);
  const stored = of('Lead').map(({ content }) => content);
  const asked = cluster.llm.requests
    .map(({ messages }) => messages.map(({ content }) => content))
    .filter(([system, user]) => system!.includes('You are the agent Lead.') && user!.includes(name));
  for (const told of asked) expect(told).toEqual(stored.slice(0, told.length));
  expect(new Set(notes).size).toBe(notes.length);
  expectReconstructed(tree.timeline, follower);
}
