import { brandWithType } from '@pothos/core';
import { mayLookInto } from './access-plugin.ts';
import type { Context, Loaders } from './context.ts';
import { badUserInput } from './errors.ts';
import { isUuid } from './ids.ts';
import { inlineMessage, parseInlineKey } from './inline-messages.ts';

/** Most ids of one request, to bound the work of a query. */
const MAX_NODES = 100;

interface NodeKey {
  typename: string;
  id: unknown;
}

const FIND: Record<string, (loaders: Loaders, key: string) => Promise<object | null>> = {
  Session: (loaders, key) => loaders.session.load(key),
  Stage: (loaders, key) => loaders.stage.load(key),
  AgentExecution: (loaders, key) => loaders.execution.load(key),
  TimelineEvent: (loaders, key) => loaders.timelineEvent.load(key),
  Message: (loaders, key) => loaders.message.load(key),
  LlmInteraction: (loaders, key) => loaders.llmInteraction.load(key),
  McpInteraction: (loaders, key) => loaders.mcpInteraction.load(key),
  Chat: (loaders, key) => loaders.chat.load(key),
  ChatMessage: (loaders, key) => loaders.chatMessage.load(key),
  Alert: (loaders, key) => loaders.alert.load(key),
  AlertGroup: (loaders, key) => loaders.alertGroup.load(key),
  IntakeDecision: (loaders, key) => loaders.intakeDecision.load(key),
  Score: (loaders, key) => loaders.score.load(key),
  Silence: (loaders, key) => loaders.silence.load(key),
  Memory: (loaders, key) => loaders.memory.load(key),
  Approval: (loaders, key) => loaders.approval.load(key),
  ApiToken: (loaders, key) => loaders.apiToken.load(key),
  AuditEvent: (loaders, key) => loaders.auditEvent.load(key),
};

/** Returns the object with a global id, branded for the Node interface; `null` if there is none. */
export async function loadNode(
  { typename, id }: NodeKey,
  { loaders, viewer }: Context,
): Promise<object | null> {
  if (!mayLookInto(viewer, typename)) return null; // same result as for a missing object
  const key = String(id);
  const row =
    typename === 'Message' && !isUuid(key)
      ? await inlineNode(key, loaders)
      : await load(typename, key, loaders);
  if (row) brandWithType(row, typename as never);
  return row;
}

export function loadNodes(keys: readonly NodeKey[], context: Context): Promise<(object | null)[]> {
  if (keys.length > MAX_NODES)
    throw badUserInput(`At most ${MAX_NODES} ids in one request; ${keys.length} were given.`);
  return Promise.all(keys.map((key) => loadNode(key, context)));
}

async function load(typename: string, key: string, loaders: Loaders): Promise<object | null> {
  return isUuid(key) && Object.hasOwn(FIND, typename) ? FIND[typename]!(loaders, key) : null;
}

async function inlineNode(key: string, loaders: Loaders): Promise<object | null> {
  const place = parseInlineKey(key);
  if (!place || !(await load('LlmInteraction', place.interactionId, loaders))) return null;
  return inlineMessage(place, loaders);
}
