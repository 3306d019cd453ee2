import { stringify } from 'yaml';
import type { GenerateRequest } from '../../../src/engine/model/gen/llm_service.ts';
import type { Item } from './recorder.ts';
import type { Message, Stored } from './stored.ts';

/** Replaces values that differ between runs by a placeholder of their kind. */
function steady(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    key === 'duration_ms' && typeof part === 'number' ? '<ms>' : part,
  );
}

const yaml = (value: unknown) => stringify(steady(value), { lineWidth: 120, aliasDuplicateObjects: false });

/** Returns the golden text of the session, its stages with their agents, and the chat. */
export function sessionView({ trace: _trace, timeline: _timeline, stages, ...session }: Stored): string {
  const withoutMessages = stages.map(({ executions, ...stage }) => ({
    ...stage,
    executions: executions.map(({ id: _id, messages: _messages, ...execution }) => execution),
  }));
  return yaml({ session, stages: withoutMessages });
}

/** Returns the golden text of the timeline, grouped by agent because the order of parallel agents varies. */
export function timelineView({ stages, timeline }: Stored): string {
  const item = ({
    sequenceNumber: _n,
    stage: _stage,
    execution: _execution,
    ...rest
  }: Stored['timeline'][0]) => rest;
  const agents = stages.flatMap(({ name, executions }) =>
    executions.map(({ id, agentName }) => ({
      of: `${name}: ${agentName}`,
      items: timeline.filter(({ execution }) => execution?.id === id).map(item),
    })),
  );
  const others = timeline.filter(({ execution }) => execution === null);
  const besides = others.map((other) => ({ of: other.stage?.name ?? 'session', items: [item(other)] }));
  return yaml([...agents, ...besides]);
}

/** Replaces output numbers by the ids of their calls, because the numbers of parallel calls vary. */
function namedNumbers(text: string, { timeline }: Stored): string {
  const calls = timeline.filter(({ type }) => type === 'LLM_TOOL_CALL');
  const ids = new Map(calls.map(({ sequenceNumber, metadata }) => [sequenceNumber, metadata?.tool_call_id]));
  return text.replace(/^(\s*|\*\*Tool call\*\*: )\[T(\d+)\]/gm, (_, before, number) => {
    return `${before}[T of ${ids.get(Number(number))}]`;
  });
}

/**
 * Returns the golden text of each agent's conversation, by file name. System messages are shortened, because prompts
 * have their own golden files.
 */
export function conversationViews(stored: Stored): ReadonlyMap<string, string> {
  const conversations = stored.stages.flatMap(({ name, executions }) =>
    executions.map(({ agentName, messages }) => ({ title: `${name}: ${agentName}`, messages })),
  );
  return new Map(
    conversations.map(({ title, messages }, index) => {
      const text = `# ${title}\n\n${messages.map(messageView).join('\n\n')}\n`;
      return [`${index + 1}-${title.replace(/\W+/g, '-').toLowerCase()}.md`, namedNumbers(text, stored)];
    }),
  );
}

function messageView({ sequenceNumber, role, content, toolCalls, toolCallId, toolName }: Message): string {
  const calls = toolCalls.map(({ id, name, arguments: args }) => `\n→ ${id} ${name} ${args}`).join('');
  const answers = toolCallId === null ? '' : ` (${toolCallId} ${toolName})`;
  const text = role === 'SYSTEM' ? outline(content) : content;
  return `--- ${sequenceNumber}. ${role}${answers}\n${text}${calls}`;
}

/** Returns the headings of a prompt and the line with the time, without the time itself. */
function outline(text: string): string {
  const lines = text.match(/^(?:## |Time now: ).*$/gm) ?? [];
  return lines.map((line) => line.replace(/Time now: \S+/, 'Time now: <time>.')).join('\n');
}

/**
 * Returns the golden text of the trace, in the order of each agent's work. Parallel calls are sorted by their
 * arguments.
 */
export function traceView({ trace }: Stored): string {
  const llm = ({ conversation, request, ...rest }: Stored['trace']['sessionInteractions'][0]) => ({
    ...rest,
    request: { ...request, ...(request.messages ? { messages: '(as the conversation)' } : {}) },
    conversation: conversation.map(({ role, content }) => `${role} ${content.length > 0 ? 'text' : 'empty'}`),
  });
  const stages = trace.stages.flatMap(({ stage, executions }) =>
    executions.map(({ execution, llmInteractions, mcpInteractions }) => ({
      of: `${stage.name}: ${execution.agentName}`,
      llm: llmInteractions.map(llm),
      mcp: mcpInteractions
        .map(({ availableTools, ...rest }) => ({
          ...rest,
          availableTools: availableTools?.map(({ name }) => name) ?? null,
        }))
        .sort((a, b) => rank(a).localeCompare(rank(b))),
    })),
  );
  return yaml({ stages, session: trace.sessionInteractions.map(llm) });
}

const rank = (call: { serverName: string; toolName: string | null; arguments: unknown }) =>
  call.toolName === null ? `0 ${call.serverName}` : `1 ${call.serverName} ${JSON.stringify(call.arguments)}`;

/** Returns the golden text of the requests to the LLM service, by agent. */
export function requestsView(requests: readonly GenerateRequest[], stored: Stored): string {
  const about = (request: GenerateRequest) => {
    const { llmConfig, messages, tools } = request;
    const last = messages.at(-1);
    return {
      backend: llmConfig?.backend,
      provider: llmConfig?.provider,
      model: llmConfig?.model,
      nativeTools: llmConfig?.nativeTools,
      tools: tools.map(({ name }) => name),
      messages: messages.map(({ role, toolCalls }) => (toolCalls.length > 0 ? `${role} with calls` : role)),
      last: last?.role === 'user' && messages.length > 2 ? namedNumbers(last.content, stored) : undefined,
    };
  };
  const groups = Map.groupBy(requests, ({ messages }) => outline(messages[0]?.content ?? ''));
  const sorted = [...groups].sort(([a], [b]) => a.localeCompare(b));
  return yaml(sorted.map(([to, of]) => ({ to, requests: of.map(about) })));
}

/**
 * Returns the golden text of the stream, grouped by session and stages, then by agent and tool call. Only
 * within a group is the order fixed, because agents and calls run in parallel.
 */
export function eventsView(items: readonly Item[]): string {
  const tracks = new Map<string, string[]>();
  for (const item of items) {
    const line = eventLine(item);
    if (line === null) continue;
    const track = trackOf(item);
    tracks.set(track, [...(tracks.get(track) ?? []), line]);
  }
  const sorted = [...tracks].sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([track, lines]) => `# ${track}\n${lines.join('\n')}\n`).join('\n');
}

function trackOf({ timelineEvent, execution }: Item): string {
  if (execution) return `${execution.stage.name}: ${execution.agentName}`;
  if (!timelineEvent?.execution) return '(session)';
  const call = timelineEvent.metadata?.tool_call_id;
  const agent = `${timelineEvent.stage?.name}: ${timelineEvent.execution.agentName}`;
  return call === undefined ? agent : `${agent}, call ${call}`;
}

function eventLine(item: Item): string | null {
  const { __typename: type, session, stage, execution, timelineEvent, chat, message } = item;
  if (type === 'StreamChunk' || type === 'CaughtUp') return null;
  if (session) {
    const current = session.currentStage ? ` (${session.currentStage.name})` : '';
    return `${type}: ${session.status}${current}`;
  }
  if (stage) return `${type}: ${stage.name} [${stage.type}] ${stage.status}`;
  if (execution) return `${type}: ${execution.status}`;
  if (timelineEvent) {
    const text = timelineEvent.content === '' ? '' : ` ${JSON.stringify(timelineEvent.content.slice(0, 60))}`;
    return `${type}: ${timelineEvent.type} ${timelineEvent.status}${text}`;
  }
  return `${type}: ${chat ? `by ${chat.createdBy}` : message?.content}`;
}
