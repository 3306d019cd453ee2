import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type ApiClient, apiClient, ENDED } from '../helpers/api.ts';
import { approvalsOf, decide, type SeenApproval } from '../helpers/approvals.ts';
import { type Followed, follow, newFollower } from '../helpers/follower.ts';
import { type ScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';
import { conversation, expectReconstructed, type Message } from './expectations.ts';
import type { Lane } from './lane.ts';
import type { Story } from './sweep.ts';

/** Poll interval for pending approvals (ms). */
const POLL_MS = 50;

/**
 * Configuration with two parallel agents: one call is approved, one gets no decision. A third agent has one
 * call approved and one denied.
 */
export const APPROVALS_CONFIG = {
  auth: { mode: 'proxy' },
  access: {
    roles: {
      viewer: { users: ['*'] },
      responder: { users: ['ana', 'bo', 'cy'] },
      admin: { users: ['root'] },
    },
    teams: {},
  },
  policies: {
    one: [{ tools: ['note'], action: 'ask' }],
    two: [{ tools: ['note'], action: 'ask', approvals: 2 }],
    brief: [{ tools: ['note'], action: 'ask', expires: '1s' }],
  },
  agents: {
    DiskAgent: { mcp_servers: ['one'] },
    LogAgent: { mcp_servers: ['tools', 'brief'] },
    LastAgent: { mcp_servers: ['two', 'one'] },
  },
  stages: [
    { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] },
    { name: 'act', agents: [{ name: 'LastAgent' }] },
  ],
};

/**
 * The allowed outcomes of each call, by the last word of its text. A crash may hide the outcome of an
 * approved call.
 */
const ENDS: Record<string, readonly string[]> = {
  disk: ['EXECUTED', 'OUTCOME_UNKNOWN'],
  late: ['EXPIRED'],
  last: ['EXECUTED', 'OUTCOME_UNKNOWN'],
  never: ['DENIED'],
};

/** Scripts a model that answers from the conversation alone, so that a repeated call gets an equal answer. */
export function scriptApprovals(llm: ScriptedLlm): void {
  llm.otherwise((request) => {
    const { system, user, answers } = conversation(request);
    if (system.startsWith('You compose')) return { text: 'All are done.' };
    if (request.tools.length === 0) return { text: 'In short.' };
    const place = /Place \d+ \([\w-]+\)/.exec(user)![0];
    const agent = /You are the agent (\w+)\./.exec(system)![1]!;
    const note = (server: string, what: string) =>
      toolCall(`${server}.note`, { text: `${place} ${what}` }, `${agent}-${what}`);
    const turns = {
      DiskAgent: [[{ text: ['I must ', 'note it.'] }, note('one', 'disk')]],
      LogAgent: [[toolCall('tools.echo', { text: 'log' }, 'LogAgent-echo'), note('brief', 'late')]],
      LastAgent: [note('two', 'last'), note('one', 'never')],
    }[agent]!;
    return turns[answers] ?? { text: [`${agent} `, 'is done.'] };
  });
}

interface Tree {
  status: string;
  finalAnalysis: string | null;
  stages: { status: string; executions: { agentName: string; status: string; messages: ToolMessage[] }[] }[];
  timeline: { id: string; sequenceNumber: number; type: string; status: string; content: string }[];
}

type ToolMessage = Message & { toolCallId: string | null };

/**
 * The story of an investigation with approvals. Responders decide at once, even while workers are disturbed.
 */
export const approvals: Story = {
  prepare: async (lane, name) => async () => {
    const as = (user: string) => apiClient(lane.cluster.apiUrl, { 'x-forwarded-user': user });
    const api = as('ana');
    const id = await api.submit(name);
    const follower = newFollower();
    const watched = Promise.withResolvers<void>();
    const over = new AbortController();
    const followed = follow(api, id, follower, {
      isEnd: (status) => ENDED.has(status),
      onItem: (type) => type === 'CaughtUp' && watched.resolve(),
    });
    const ended = followed.finally(() => over.abort());
    void decideAll([as('bo'), as('cy')], id, over.signal);
    const read = async () => ({ ...(await readTree(api, id)), approvals: await approvalsOf(api, id) });
    return {
      watched: watched.promise,
      ended,
      read,
      check: async () => expectDone(await read(), follower, lane, name),
    };
  },
};

/** Decides all pending approvals, again and again, because a restarting database may refuse a decision. */
async function decideAll(people: readonly ApiClient[], id: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    try {
      for (const approval of await approvalsOf(people[0]!, id)) {
        const what = lastWord(approval);
        if (approval.status !== 'PENDING' || what === 'late') continue;
        await decide(people[approval.decisions.length]!, approval, what !== 'never');
      }
    } catch {
      // The next round retries.
    }
    await delay(POLL_MS);
  }
}

const lastWord = ({ arguments: { text } }: SeenApproval) => String(text).split(' ').at(-1)!;

async function readTree(api: ApiClient, id: string): Promise<Tree> {
  const { session } = await api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis
       stages { status executions { agentName status messages { role content toolCallId toolCalls { id name } } } }
       timeline { id sequenceNumber type status content } } }`,
    { id },
  );
  return session;
}

/** Asserts that an approved call runs once or has an unknown outcome, and that a denied call never runs. */
function expectDone(
  tree: Tree & { approvals: SeenApproval[] },
  follower: Followed,
  { notes }: Lane,
  name: string,
): void {
  expect(tree).toMatchObject({ status: 'COMPLETED', finalAnalysis: 'All are done.' });
  expect(tree.approvals.map(lastWord).sort()).toEqual(Object.keys(ENDS).sort());
  const messages = tree.stages.flatMap(({ executions }) => executions).flatMap((each) => each.messages);
  for (const approval of tree.approvals) {
    const { status, arguments: args } = approval;
    const what = lastWord(approval);
    expect(ENDS[what], what).toContain(status);
    const made = notes.filter((said) => said === args.text).length;
    if (status === 'EXECUTED') expect(made, what).toBe(1);
    else expect(made, what).toBeLessThanOrEqual(status === 'OUTCOME_UNKNOWN' ? 1 : 0);
    const told = messages.filter(({ toolCallId }) => toolCallId?.endsWith(`-${what}`));
    expect(told).toHaveLength(1);
    if (status === 'OUTCOME_UNKNOWN') expect(told[0]!.content).toMatch(/The outcome is unknown/);
    else
      expect(told[0]!.content).toMatch(status === 'EXECUTED' ? `noted: ${String(args.text)}` : /Not called/);
  }
  const called = messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
  expect(called.sort()).toEqual([
    'DiskAgent-disk',
    'LastAgent-last',
    'LastAgent-never',
    'LogAgent-echo',
    'LogAgent-late',
  ]);
  expect(notes.filter((said) => said.startsWith(`${name} `)).length).toBeLessThanOrEqual(2);
  expectReconstructed(tree.timeline, follower);
}
