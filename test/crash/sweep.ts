import { expect } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import type { Cluster } from '../helpers/cluster.ts';
import { type Followed, follow, newFollower } from '../helpers/follower.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

/** Three stages, the second with two agents and a synthesis; eight tool calls, two of a tool that may change something. */
export const SWEEP_CONFIG = {
  queue: { lease_duration: '1500ms', heartbeat_interval: '300ms', max_attempts: 5 },
  agents: { DiskAgent: { mcp_servers: ['tools'] }, LogAgent: { mcp_servers: ['tools'] } },
  stages: [
    { name: 'collect', agents: [{ name: 'TestAgent' }] },
    { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] },
    { name: 'advise', agents: [{ name: 'TestAgent' }] },
  ],
};

interface Message {
  role: string;
  content: string;
  toolCalls: { id: string; name: string }[];
}

/**
 * A model that answers by what the conversation holds, so that a call that is made again gets the same answer: three
 * agents with two rounds of tools each, one with one.
 */
export function scriptSweep(cluster: Cluster): void {
  cluster.llm.otherwise((request) => {
    const messages = request.messages as unknown as Message[];
    const system = messages[0]!.content;
    if (request.tools.length === 0) {
      return {
        text: system.startsWith('You join') ? ['Joined: ', 'disk and log.'] : ['In short: ', 'full.'],
      };
    }
    const agent = /You are the agent (\w+)\./.exec(system)![1]!;
    const stage = system + messages[1]!.content;
    const last = stage.includes('Joined: disk and log.') ? 'advise' : agent;
    const answers = messages.filter(({ role }) => role === 'assistant').length;
    const id = (n: number) => `${last}-${answers}-${n}`;
    if (answers === 0) {
      return [
        { thinking: [`${last} thinks `, 'a little.'] },
        { text: [`${last} looks.`] },
        toolCall('tools.echo', { text: `${last} one` }, id(1)),
        toolCall('tools.note', { text: `${last} note` }, id(2)),
      ];
    }
    return [{ text: [`${last} `, 'has ', 'found it.'] }];
  });
}

interface Tree {
  status: string;
  finalAnalysis: string | null;
  stages: {
    name: string;
    index: number;
    status: string;
    executions: { agentName: string; status: string; messages: Message[] }[];
  }[];
  timeline: { id: string; sequenceNumber: number; type: string; status: string; content: string }[];
}

/** Runs the investigation while `disturb` happens, to its end; everything about it must be as if nothing had happened. */
export async function runDisturbed(
  cluster: Cluster,
  id: string,
  disturb: () => Promise<void>,
): Promise<{ tree: Tree; follower: Followed }> {
  const follower = newFollower();
  const following = follow(cluster.api, id, follower, { isEnd: (status) => ENDED.has(status) });
  await disturb();
  await following;
  return { tree: await readTree(cluster, id), follower };
}

export async function readTree(cluster: Cluster, id: string): Promise<Tree> {
  const { session } = await cluster.api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis
       stages { name index status executions { agentName status messages { role content toolCalls { id name } } } }
       timeline { id sequenceNumber type status content } } }`,
    { id },
  );
  return session;
}

/** What must be true of a disturbed investigation, wherever it was disturbed. */
export function expectWhole({ tree, follower }: { tree: Tree; follower: Followed }): void {
  expect(tree.status).toBe('COMPLETED');
  expect(tree.finalAnalysis).toBe('advise has found it.');
  expect(tree.stages.map(({ name, index, status }) => [index, name, status])).toEqual([
    [1, 'collect', 'COMPLETED'],
    [2, 'look', 'COMPLETED'],
    [3, 'look - Synthesis', 'COMPLETED'],
    [4, 'advise', 'COMPLETED'],
  ]);
  for (const { executions } of tree.stages) {
    for (const { status, messages } of executions) {
      expect(status).toBe('COMPLETED');
      expectNothingTwice(messages);
    }
  }
  expect(tree.timeline.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
    tree.timeline.map((_, n) => n + 1),
  );
  expect(tree.timeline.filter(({ status }) => status === 'STREAMING')).toEqual([]);
  expect(new Set(follower.cursors).size).toBe(follower.cursors.length);
  for (const { id, type, content } of tree.timeline) {
    expect(follower.texts.get(id)?.final).toEqual({ content, type });
  }
}

/** Each call is answered exactly once, and the conversation has one end. */
function expectNothingTwice(messages: readonly Message[]): void {
  const calls = messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
  expect(new Set(calls).size).toBe(calls.length);
  const roles = messages.map(({ role }) => role);
  const expected =
    calls.length === 0
      ? ['SYSTEM', 'USER', 'ASSISTANT']
      : ['SYSTEM', 'USER', 'ASSISTANT', ...calls.map(() => 'TOOL'), 'ASSISTANT'];
  expect(roles).toEqual(expected);
}

/**
 * Makes the database stop a worker at its k-th write: the write waits for a lock that the test holds, and the test is
 * told. Writes are counted over all statements of the engine, in the order of their commits.
 */
export async function installWriteGate(cluster: Cluster): Promise<void> {
  await cluster.sql.query(`
    create sequence write_count;
    create table write_gate (stop_at bigint not null);
    insert into write_gate values (0);
    create function count_write() returns trigger language plpgsql as $$
    declare n bigint; k bigint;
    begin
      if current_setting('application_name') <> 'tarsy-worker' then return null; end if;
      n := nextval('write_count');
      select stop_at into k from write_gate;
      if n = k then
        perform pg_advisory_xact_lock_shared(4711);
      end if;
      return null;
    end $$;`);
  for (const table of [
    'alert_sessions',
    'stages',
    'agent_executions',
    'timeline_events',
    'messages',
    'llm_interactions',
    'mcp_interactions',
  ]) {
    await cluster.sql.query(
      `create trigger count_write after insert or update on ${table} for each row execute function count_write()`,
    );
  }
}
