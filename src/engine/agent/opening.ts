import type { LeftOutTool } from '../../mcp/types.ts';
import { recalledMarkdown } from '../features/memory/prompts.ts';
import type { RecalledMemory } from '../features/memory/recall.ts';
import type { Skill } from '../features/skills/folder.ts';
import type { LlmTool } from '../model/client.ts';
import { READ_OUTPUT, SEARCH_OUTPUT } from '../prompt-text/tool-results.ts';
import type { AgentContext } from '../run-context/types.ts';
import { newToolsPrompt } from './iteration.ts';

/**
 * Stores the system prompt and the first user message, unless an earlier run stored them.
 * @param format instructions for calling tools in text, added to the system prompt
 */
export async function openConversation(
  context: AgentContext,
  tools: readonly LlmTool[],
  format?: string,
): Promise<void> {
  const { transcript } = context;
  const stored = transcript.messages.length;
  if (stored >= 2) return;
  const memories = await recallMemories(context);
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

export function skillsLoadedEvent(skills: readonly Skill[]) {
  const names = skills.map(({ name }) => name);
  const content = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  return { type: 'SKILL_LOADED', content, metadata: { skills: names } } as const;
}

/** Returns the recalled memories. Returns none after an error, because memories are optional. */
async function recallMemories({ recall, logger, signal }: AgentContext): Promise<readonly RecalledMemory[]> {
  if (recall === undefined) return [];
  try {
    return await recall();
  } catch (error) {
    signal.throwIfAborted();
    logger.warn({ err: error }, 'memory recall failed');
    return [];
  }
}

/** Returns the tools offered to the model. Records each server's tool list for the trace. */
export async function offerTools(context: AgentContext): Promise<LlmTool[]> {
  const startedAt = performance.now();
  const earlier = context.transcript.messages.slice(2);
  const mentioned = earlier.flatMap(({ content, toolCalls = [] }) => [
    content,
    ...toolCalls.map(({ name }) => name),
  ]);
  context.tools.offerMentioned(mentioned.join('\n'));
  const tools = await context.tools.listTools(context.signal);
  const leftOut = context.tools.leftOutTools();
  const listed = tools.filter(({ name }) => name !== SEARCH_OUTPUT && name !== READ_OUTPUT);
  const byServer = groupByServer(listed);
  for (const server of new Set([...byServer.keys(), ...leftOut.map((tool) => tool.server)])) {
    const list = { tools: byServer.get(server), leftOut: leftOut.filter((tool) => tool.server === server) };
    await recordToolList(context, server, startedAt, list);
  }
  for (const [server, errorMessage] of context.tools.unavailableServers())
    await recordToolList(context, server, startedAt, { errorMessage });
  return tools;
}

/** Returns the current tools. Announces tools added since `offered` to the model, and records them for the trace. */
export async function offerNewTools(context: AgentContext, offered: LlmTool[]): Promise<LlmTool[]> {
  const startedAt = performance.now();
  const tools = await context.tools.listTools(context.signal);
  const before = new Set(offered.map(({ name }) => name));
  // Does not announce tools found by `find_tools`, because the model saw them in the search result.
  const added = tools.filter(({ name }) => !before.has(name) && !context.tools.wasFound(name));
  if (added.length === 0) return tools;
  for (const [server, own] of groupByServer(added))
    await recordToolList(context, server, startedAt, { tools: own });
  await context.transcript.addMessage({ role: 'USER', content: newToolsPrompt(added) });
  return tools;
}

function groupByServer(tools: readonly LlmTool[]): Map<string, LlmTool[]> {
  return Map.groupBy(tools, ({ name }) => name.split('.', 1)[0] ?? '');
}

function recordToolList(
  context: AgentContext,
  serverName: string,
  startedAt: number,
  list: { tools?: readonly LlmTool[] | undefined; leftOut?: readonly LeftOutTool[]; errorMessage?: string },
): Promise<void> {
  const { tools = [], errorMessage = null } = list;
  const leftOut = list.leftOut?.map(({ tool: name, reason }) => ({ name, reason })) ?? [];
  return context.transcript.recordMcp({
    ...{ type: 'TOOL_LIST', serverName, toolName: null, toolCallId: null, arguments: null, errorMessage },
    result: leftOut.length === 0 ? null : { leftOut },
    availableTools: tools.map(({ name, description, inputSchema, annotations }) => ({
      ...{ name, description, inputSchema, annotations },
    })),
    durationMs: performance.now() - startedAt,
  });
}
