import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type Step, toolCall } from './scripted-llm/index.ts';

/**
 * Time limit of a sub-agent (s): 8 in a full crash sweep, otherwise 20. Both are far above the time that the
 * other agents need.
 */
const LIMIT_S = Number(process.env.CRASH_EVERY ?? 37) < 10 ? 8 : 20;

/**
 * An agent with three sub-agents. One never answers and is cancelled. One never answers and exceeds the time
 * limit. One has a sub-agent of its own, which calls a tool that changes something.
 */
export const ORCHESTRATED = {
  agents: {
    Lead: {
      max_iterations: 12,
      sub_agents: ['Waiter', 'Slow', 'Middle'],
      orchestrator: { agent_timeout: `${LIMIT_S}s` },
    },
    Waiter: { description: 'Waits' },
    Slow: { description: 'Takes too long' },
    Middle: { description: 'Has others work', sub_agents: ['Leaf'], max_iterations: 12 },
    Leaf: { description: 'Takes notes', mcp_servers: ['tools'] },
  },
  stages: [{ name: 'lead', agents: [{ name: 'Lead' }] }],
};

/** The expected end of each agent: name, status, error and parent. */
export const ORCHESTRATED_ENDS = [
  ['Lead', 'COMPLETED', null, null],
  ['Leaf', 'COMPLETED', null, 'Middle'],
  ['Middle', 'COMPLETED', null, 'Lead'],
  ['Slow', 'TIMED_OUT', `The sub-agent came to no conclusion within its limit of ${LIMIT_S} s.`, 'Lead'],
  ['Waiter', 'CANCELLED', 'Cancelled by the agent that gave it its task.', 'Lead'],
];

export interface OrchestratedExecution {
  agentName: string;
  status: string;
  errorMessage: string | null;
  parent: { agentName: string } | null;
}

/** Brings executions into the form of `ORCHESTRATED_ENDS`. */
export function endsOf(executions: readonly OrchestratedExecution[]) {
  return executions
    .map(({ agentName, status, errorMessage, parent }) => [
      agentName,
      status,
      errorMessage,
      parent?.agentName ?? null,
    ])
    .sort();
}

/**
 * Answers for each agent's model from the conversation alone, so that a call repeated after a crash gets an
 * equal answer.
 */
export function orchestratedAnswer(request: GenerateRequest): Step | readonly Step[] {
  const { messages } = request;
  const name = /You are the agent (\w+)\./.exec(messages[0]!.content)?.[1];
  const answers = messages.filter(({ role }) => role === 'assistant').length;
  const told = messages.filter(({ content }) => content.startsWith('Your sub-agent ')).length;
  const place = /Place \d+ \([\w-]+\)/.exec(messages[1]!.content)?.[0] ?? 'note';
  const dispatch = (to: string) =>
    toolCall('tarsy.dispatch_agent', { name: to, task: `Do what ${to} does.` }, `call-${to}`);
  switch (name) {
    case 'Lead': {
      if (answers === 0) return ['Waiter', 'Slow', 'Middle'].map(dispatch);
      const waiter = messages
        .map(({ content }) => /Waiter works on it as ([0-9a-f-]{36})/.exec(content)?.[1])
        .find(Boolean);
      if (answers === 1) return toolCall('tarsy.cancel_agent', { execution_id: waiter! }, 'call-cancel');
      return { text: told < 3 ? `Heard of ${told}.` : 'All are heard.' };
    }
    case 'Middle':
      if (answers === 0) return dispatch('Leaf');
      return { text: told === 0 ? 'I wait.' : 'The leaf has noted it.' };
    case 'Leaf':
      return answers === 0 ? toolCall('tools.note', { text: place }, 'call-note') : { text: 'It is noted.' };
    case 'Waiter':
    case 'Slow':
      return { hang: true };
    default:
      return { text: 'In short.' };
  }
}

export interface OrchestratedMessage {
  role: string;
  content: string;
  toolCallId: string | null;
  toolCalls: { id: string }[];
}

/**
 * Returns the problems of a stored conversation: repeated messages, and calls without an immediate answer.
 */
export function conversationProblems(messages: readonly OrchestratedMessage[], subAgents: number): string[] {
  const problems: string[] = [];
  const told = messages.flatMap(({ content }) => /^Your sub-agent \w+ \(([\w-]+)\)/.exec(content)?.[1] ?? []);
  if (new Set(told).size !== told.length) problems.push(`told twice: ${told.join(' ')}`);
  if (told.length !== subAgents) problems.push(`told of ${told.length} of ${subAgents} sub-agents`);
  const calls = messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
  if (new Set(calls).size !== calls.length) problems.push(`called twice: ${calls.join(' ')}`);
  for (const [at, { role, toolCalls }] of messages.entries()) {
    const answers = messages.slice(at + 1, at + 1 + toolCalls.length).map(({ toolCallId }) => toolCallId);
    if (answers.join() !== toolCalls.map(({ id }) => id).join())
      problems.push(`${at}: calls answered by ${answers.join()}`);
    if (role === 'ASSISTANT' && messages[at + 1]?.role === 'ASSISTANT')
      problems.push(`${at}: answered twice`);
  }
  if (messages.at(-1)?.role !== 'ASSISTANT') problems.push('has no end');
  return problems;
}
