import { expect, vi } from 'vitest';
import { ENDED } from '../helpers/api.ts';
import { type Followed, follow, newFollower } from '../helpers/follower.ts';
import { addHint, hintsOf } from '../helpers/hints.ts';
import { conversationProblems, type OrchestratedMessage } from '../helpers/orchestrated.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedLlm, toolCall } from '../helpers/scripted-llm/index.ts';
import { conversation, expectNothingTwice, expectReconstructed, type Message } from './expectations.ts';
import type { Lane } from './lane.ts';
import type { Story } from './sweep.ts';

/**
 * Configuration with three stages; the second has two agents, a sub-agent and a synthesis. There are nine tool calls,
 * five of them of a tool that changes something, a hypothesis of each agent, and a report that needs a correction.
 */
export const INVESTIGATION_CONFIG = {
  defaults: { report: { enabled: true }, hypotheses: { enabled: true } },
  agents: {
    DiskAgent: { mcp_servers: ['tools'] },
    LogAgent: { mcp_servers: ['tools'], sub_agents: ['Helper'] },
    Helper: { description: 'Takes notes', mcp_servers: ['tools'] },
  },
  stages: [
    { name: 'collect', agents: [{ name: 'TestAgent' }] },
    { name: 'look', agents: [{ name: 'DiskAgent' }, { name: 'LogAgent' }] },
    { name: 'advise', agents: [{ name: 'TestAgent' }] },
  ],
};

/**
 * Scripts a model that answers from the conversation alone, so that a repeated call gets an equal answer.
 * Four agents make three tool calls each, one of them with a hypothesis, and one has a sub-agent. A report follows.
 */
export function scriptInvestigation(llm: ScriptedLlm): void {
  llm.otherwise((request) => {
    const { system, user, answers } = conversation(request);
    if (request.purpose === 'report')
      return toolCall('submit_report', report(user, answers), `report-${answers}`);
    if (request.tools.length === 0) {
      if (system.startsWith('You compose')) return { text: ['All of it: ', 'found.'] };
      return {
        text: system.startsWith('You combine') ? ['Joined: ', 'disk and log.'] : ['In short: ', 'full.'],
      };
    }
    const place = /Place \d+ \([\w-]+\)/.exec(user)![0];
    const agent = /You are the agent (\w+)\./.exec(system)![1]!;
    const last = user.includes('Joined: disk and log.') ? 'advise' : agent;
    const id = (n: number) => `${last}-${answers}-${n}`;
    if (agent === 'Helper')
      return answers > 0
        ? { text: 'It is noted.' }
        : toolCall('tools.note', { text: `${place} helper` }, id(1));
    const waits = agent === 'LogAgent' && !request.messages.some(isNews);
    if (answers > 0)
      return [
        ...(last === 'TestAgent' ? [{ gate: hintedGate(place) }] : []),
        { text: [`${last} `, waits ? 'waits.' : 'has found it.'] },
      ];
    return [
      { thinking: [`${last} thinks `, 'a little.'] },
      { text: [`${last} looks.`] },
      toolCall('tools.echo', { text: `${last} one` }, id(1)),
      toolCall('tools.note', { text: `${place} ${last}` }, id(2)),
      toolCall('tarsy.update_hypotheses', proposed(last), id(3)),
      ...(agent === 'LogAgent' ? [toolCall('tarsy.dispatch_agent', TASK, id(4))] : []),
    ];
  });
}

/** Gate of the first agent, so that both hints are stored before the last agents begin. */
const hintedGate = (place: string) => `hints of ${place}`;

const TASK = { name: 'Helper', task: 'Note it.' };

const isNews = ({ content }: { content: string }) => content.startsWith('Your sub-agent ');

const proposed = (agent: string) => ({
  hypotheses: [{ text: `${agent} believes it.`, state: 'PROPOSED', citations: [], facts: [] }],
});

/**
 * Returns a report with three claims. After the request for correction, one claim is corrected and one is
 * not.
 */
function report(user: string, answers: number) {
  const source = /^(T\d+): tools\.echo .*TestAgent one/m.exec(user)![1]!;
  const claim = (text: string, quote: string) => ({
    ...{ kind: 'OBSERVATION', text },
    citations: [{ source, quote }],
    facts: [claimedFact('echo', 'echo', quote.replace('echo: ', ''))],
  });
  const claims = [
    claim('The first one was collected.', 'echo: TestAgent one'),
    claim('The second one was collected.', answers === 0 ? 'echo: TestAgent two' : 'echo: TestAgent one'),
    claim('The third one was collected.', 'echo: TestAgent three'),
  ];
  return { verdict: 'ACTION_REQUIRED', headline: 'It is full.', confidence: 0.9, entities: ['db-1'], claims };
}

interface Tree {
  status: string;
  finalAnalysis: string | null;
  executiveSummary: string | null;
  stages: {
    name: string;
    index: number;
    status: string;
    executions: { agentName: string; status: string; messages: (Message & OrchestratedMessage)[] }[];
  }[];
  report: { verdict: string; claims: { status: string }[] } | null;
  hypotheses: { id: string; text: string; state: string }[];
  timeline: { id: string; sequenceNumber: number; type: string; status: string; content: string }[];
}

/** Hints that a responder adds at the start of the investigation. */
const HINTS = ['First hint.', 'Second hint.'];

/** The story of a whole investigation, from the claim of its run to its end. */
export const investigation: Story = {
  prepare: async (lane, name) => async () => {
    const id = await lane.cluster.api.submit(name);
    // Not awaited, because a disturbed write may hold the lock on the session's row.
    const hinted = Promise.all(HINTS.map((text) => keepHint(lane, id, text))).then(() =>
      lane.cluster.llm.open(hintedGate(name)),
    );
    const follower = newFollower();
    const watched = Promise.withResolvers<void>();
    const followed = follow(lane.cluster.api, id, follower, {
      isEnd: (status) => ENDED.has(status),
      onItem: (type) => type === 'CaughtUp' && watched.resolve(),
    });
    const ended = Promise.all([followed, hinted]).then(() => {});
    const read = () => readTree(lane, id);
    return {
      watched: watched.promise,
      ended,
      read,
      check: async () => expectWhole(await read(), follower, lane.notes),
    };
  },
};

/** Adds a hint. Adds it again if a disturbance ended the request before it was stored. */
async function keepHint({ cluster: { api } }: Lane, id: string, text: string): Promise<void> {
  const keep = async () => {
    const kept = await hintsOf(api, id);
    if (!kept.some((hint) => hint.text === text)) await addHint(api, id, text);
  };
  await vi.waitFor(keep, { timeout: 60_000, interval: 250 });
}

async function readTree({ cluster }: Lane, id: string): Promise<Tree> {
  const { session } = await cluster.api.query<{ session: Tree }>(
    `query ($id: ID!) { session(id: $id) { status finalAnalysis executiveSummary
       stages { name index status executions { agentName status messages { role content toolCallId toolCalls { id name } } } }
       report { verdict claims { status } } hypotheses { id text state }
       timeline { id sequenceNumber type status content } } }`,
    { id },
  );
  return session;
}

/** Asserts the properties that an investigation has, no matter at which write it was disturbed. */
function expectWhole(tree: Tree, follower: Followed, notes: readonly string[]): void {
  expect(tree.status).toBe('COMPLETED');
  expect(tree.finalAnalysis).toBe('All of it: found.');
  expect(tree.executiveSummary).toBe('In short: full.');
  expect(tree.stages.map(({ name, index, status }) => [index, name, status])).toEqual([
    [1, 'collect', 'COMPLETED'],
    [2, 'look', 'COMPLETED'],
    [3, 'look - Synthesis', 'COMPLETED'],
    [4, 'advise', 'COMPLETED'],
    [5, 'Final analysis', 'COMPLETED'],
    [6, 'Report', 'COMPLETED'],
  ]);
  expect(
    tree.stages.map(({ executions }) => executions.map(({ agentName, status }) => [agentName, status])),
  ).toEqual([
    [['TestAgent', 'COMPLETED']],
    [
      ['DiskAgent', 'COMPLETED'],
      ['LogAgent', 'COMPLETED'],
      ['Helper', 'COMPLETED'],
    ],
    [['SynthesisAgent', 'COMPLETED']],
    [['TestAgent', 'COMPLETED']],
    [['SynthesisAgent', 'COMPLETED']],
    [['Report', 'COMPLETED']],
  ]);
  expect(tree.report).toEqual({
    verdict: 'ACTION_REQUIRED',
    claims: ['SUPPORTED', 'SUPPORTED', 'UNSUPPORTED'].map((status) => ({ status })),
  });
  expect(new Set(tree.hypotheses.map(({ id }) => id)).size).toBe(4);
  expect(tree.hypotheses.map(({ text, state }) => [text, state]).toSorted()).toEqual(
    ['DiskAgent', 'LogAgent', 'TestAgent', 'advise'].map((agent) => [`${agent} believes it.`, 'PROPOSED']),
  );
  const handedIn = tree.stages.pop()!.executions[0]!.messages;
  expect(handedIn.map(({ role, toolCalls }) => [role, ...toolCalls.map(({ id }) => id)])).toEqual([
    ...[['SYSTEM'], ['USER'], ['ASSISTANT', 'report-0'], ['TOOL'], ['ASSISTANT', 'report-1']],
  ]);
  for (const { agentName, messages } of tree.stages.flatMap(({ executions }) => executions)) {
    const own = messages.filter((message) => !isNote(message));
    if (agentName === 'LogAgent') expect(conversationProblems(own, 1)).toEqual([]);
    else expectNothingTwice(own);
  }
  expectHintsOnce(tree);
  // Each of the five agents makes one call that changes something, and no call may run twice.
  expect(new Set(notes).size).toBe(notes.length);
  expectReconstructed(tree.timeline, follower);
}

const isNote = ({ role, content }: Message) => role === 'USER' && content.includes('-----BEGIN HINT-----');

/** Asserts that no agent got a hint twice, and that the last two, which began after the hints, got each one. */
function expectHintsOnce({ stages, timeline }: Tree): void {
  const added = timeline.filter(({ type }) => type === 'HINT').map(({ content }) => content);
  expect(added.toSorted()).toEqual(HINTS);
  const told = stages.map(({ executions }) =>
    executions.map(({ messages }) => messages.filter(isNote).map(({ content }) => content)),
  );
  const timesOf = (notes: readonly string[], hint: string) => notes.join('\n').split(hint).length - 1;
  for (const notes of told.flat())
    for (const hint of HINTS) expect(timesOf(notes, hint)).toBeLessThanOrEqual(1);
  for (const notes of told.slice(-2).flat())
    expect(HINTS.map((hint) => timesOf(notes, hint))).toEqual([1, 1]);
  expect(timeline.filter(({ type }) => type === 'HINT_READ')).toHaveLength(told.flat(2).length);
}
