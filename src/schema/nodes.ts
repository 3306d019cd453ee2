import { brandWithType } from '@pothos/core';
import { mayLookInto } from './access-plugin.ts';
import type { Context, Loaders } from './context.ts';
import { badUserInput } from './errors.ts';
import { isUuid } from './ids.ts';
import { inlineMessage, parseInlineKey } from './inline-messages.ts';

/** Objects that one request may name: bounds the work of one query. */
const MAX_NODES = 100;

interface NodeKey {
  typename: string;
  id: unknown;
}
type Owned = { id: string } & ({ sessionId: string } | { chatId: string });
type LoadOwned = (loaders: Loaders, key: string) => Promise<Owned | null>;

/** Types whose objects belong to a session, and go with it. */
const OWNED: Record<string, LoadOwned> = {
  Stage: (loaders, key) => loaders.stage.load(key),
  AgentExecution: (loaders, key) => loaders.execution.load(key),
  TimelineEvent: (loaders, key) => loaders.timelineEvent.load(key),
  Message: (loaders, key) => loaders.message.load(key),
  LlmInteraction: (loaders, key) => loaders.llmInteraction.load(key),
  McpInteraction: (loaders, key) => loaders.mcpInteraction.load(key),
  Chat: (loaders, key) => loaders.chat.load(key),
  ChatMessage: (loaders, key) => loaders.chatMessage.load(key),
};

/** Types that belong to no session. */
const OWN: Record<string, (loaders: Loaders, key: string) => Promise<object | null>> = {
  Session: (loaders, key) => loaders.session.load(key),
  Alert: (loaders, key) => loaders.alert.load(key),
  AlertGroup: (loaders, key) => loaders.alertGroup.load(key),
  IntakeDecision: (loaders, key) => loaders.intakeDecision.load(key),
  Silence: (loaders, key) => loaders.silence.load(key),
  ApiToken: (loaders, key) => loaders.apiToken.load(key),
  AuditEvent: (loaders, key) => loaders.auditEvent.load(key),
};

/** The object that a global id names, ready for the Node interface; null when there is none. */
export async function loadNode(
  { typename, id }: NodeKey,
  { loaders, viewer }: Context,
): Promise<object | null> {
  if (!mayLookInto(viewer, typename)) return null; // as if there were none
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
  if (!isUuid(key)) return null;
  if (Object.hasOwn(OWN, typename)) return OWN[typename]!(loaders, key);
  const row = Object.hasOwn(OWNED, typename) ? await OWNED[typename]!(loaders, key) : null;
  return row && (await isReadable(row, loaders)) ? row : null;
}

async function isReadable(row: Owned, loaders: Loaders): Promise<boolean> {
  const sessionId = 'sessionId' in row ? row.sessionId : (await loaders.chat.load(row.chatId))?.sessionId;
  return sessionId !== undefined && (await loaders.session.load(sessionId)) !== null;
}

async function inlineNode(key: string, loaders: Loaders): Promise<object | null> {
  const place = parseInlineKey(key);
  if (!place || !(await load('LlmInteraction', place.interactionId, loaders))) return null;
  return inlineMessage(place, loaders);
}
