import type { LeftOutTool } from '../../mcp/types.ts';
import { recalledMarkdown } from '../features/memory/prompts.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { Skill } from '../features/skills/folder.ts';
import type { LlmTool } from '../model/client.ts';
import { READ_OUTPUT, SEARCH_OUTPUT } from '../prompt-text/outputs.ts';
import type { AgentContext } from '../run-context/types.ts';
import { newToolsPrompt } from './iteration.ts';

/**
 * Stores the opening messages, as far as an earlier run of this execution has not.
 * @param format added to the system's message: how the model calls tools when it has no function calling
 */
export async function openConversation(
  context: AgentContext,
  tools: readonly LlmTool[],
  format?: string,
): Promise<void> {
  const { transcript } = context;
  const stored = transcript.messages.length;
  if (stored >= 2) return;
  const memories = await recalled(context);
  const { system, user } = context.opening(
    {
      hasTools: tools.length > 0,
      unavailableServers: context.tools.unavailableServers(),
      leftOutTools: context.tools.leftOutTools(),
      skills: context.agentSkills,
    },
    memories,
  );
  const first = { role: 'SYSTEM', content: format ? `${system}\n\n${format}` : system } as const;
  if (stored === 0) await transcript.addMessage(first);
  await transcript.addMessage({ role: 'USER', content: user });
  const { required } = context.agentSkills;
  if (required.length > 0) await transcript.addEvent(skillsLoadedEvent(required));
  if (memories.length === 0) return;
  transcript.noteMemories(memories.map(({ id }) => id));
  const metadata = { memories: memories.map(({ id, confidence }) => ({ id, confidence })) };
  await transcript.addEvent({ type: 'MEMORY_RECALLED', content: recalledMarkdown(memories), metadata });
}

/** As the timeline tells that an agent has skills. */
export function skillsLoadedEvent(skills: readonly Skill[]) {
  const names = skills.map(({ name }) => name);
  const content = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  return { type: 'SKILL_LOADED', content, metadata: { skills: names } } as const;
}

/** What is remembered helps; an agent works without it too. */
async function recalled({ recall, logger, signal }: AgentContext): Promise<readonly RecalledMemory[]> {
  if (recall === undefined) return [];
  try {
    return await recall();
  } catch (error) {
    signal.throwIfAborted();
    logger.warn({ err: error }, 'memories could not be recalled');
    return [];
  }
}

/** The tools offered to the model; those of each server are recorded for the trace. */
export async function offerTools(context: AgentContext): Promise<LlmTool[]> {
  const startedAt = performance.now();
  const earlier = context.transcript.messages.slice(2);
  context.tools.offerMentioned(
    earlier
      .map(({ content, toolCalls = [] }) => [content, ...toolCalls.map(({ name }) => name)].join('\n'))
      .join('\n'),
  );
  const tools = await context.tools.listTools(context.signal);
  const leftOut = context.tools.leftOutTools();
  const told = tools.filter(({ name }) => name !== SEARCH_OUTPUT && name !== READ_OUTPUT); // everybody has them
  const byServer = Map.groupBy(told, (tool) => tool.name.split('.', 1)[0] ?? '');
  for (const server of new Set([...byServer.keys(), ...leftOut.map((tool) => tool.server)])) {
    const durationMs = performance.now() - startedAt;
    const missing = leftOut.filter((tool) => tool.server === server);
    await recordToolList(context, server, {
      durationMs,
      tools: byServer.get(server) ?? [],
      leftOut: missing,
    });
  }
  for (const [server, reason] of context.tools.unavailableServers()) {
    const durationMs = performance.now() - startedAt;
    await recordToolList(context, server, { durationMs, tools: [], leftOut: [], errorMessage: reason });
  }
  return tools;
}

/**
 * The tools that are there by now. Those of servers that came, or that servers added, since `offered` are told to the
 * model and recorded.
 */
export async function offerNewTools(context: AgentContext, offered: LlmTool[]): Promise<LlmTool[]> {
  const startedAt = performance.now();
  const tools = await context.tools.listTools(context.signal);
  const before = new Set(offered.map(({ name }) => name));
  // What a search found was told as its result.
  const joined = tools.filter(({ name }) => !before.has(name) && !context.tools.wasFound(name));
  if (joined.length === 0) return tools;
  for (const [server, own] of Map.groupBy(joined, (tool) => tool.name.split('.', 1)[0] ?? '')) {
    const durationMs = performance.now() - startedAt;
    await recordToolList(context, server, { durationMs, tools: own, leftOut: [] });
  }
  const content = newToolsPrompt(joined);
  if (joined.length > 0) await context.transcript.addMessage({ role: 'USER', content });
  return tools;
}

function recordToolList(
  context: AgentContext,
  serverName: string,
  {
    tools,
    leftOut,
    durationMs,
    errorMessage = null,
  }: {
    tools: readonly LlmTool[];
    leftOut: readonly LeftOutTool[];
    durationMs: number;
    errorMessage?: string | null;
  },
): Promise<void> {
  return context.transcript.recordMcp({
    type: 'TOOL_LIST',
    serverName,
    toolName: null,
    toolCallId: null,
    arguments: null,
    result:
      leftOut.length === 0 ? null : { leftOut: leftOut.map(({ tool: name, reason }) => ({ name, reason })) },
    availableTools: tools.map(({ name, description }) => ({ name, description })),
    durationMs,
    errorMessage,
  });
}
