import { oncePer } from '../../common/once-per.ts';
import { toStorable } from '../../common/storable.ts';
import type { MessageRow, ToolCallValue } from '../../db/entities/index.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { parseToolName } from '../../mcp/tool-names.ts';
import { MEMORY_USE } from '../features/memory/store.ts';
import type { ProviderTurnCipher } from '../model/provider-turn-cipher.ts';
import type { RowChange } from '../store/event-statement.ts';
import { type ReadHints, readHintNumbers } from '../store/hints.ts';
import {
  type LlmInteractionRecord,
  type McpInteractionRecord,
  recordLlmCall,
  recordMcpCall,
} from '../store/interactions.ts';
import type { Journal, OpenTimelineEvent } from '../store/journal.ts';
import { addMessage, type NewMessage } from '../store/messages.ts';
import { readMessages, readUnofferedTools } from '../store/progress.ts';
import { changeProvider, type ProviderChange } from '../store/stages-and-executions.ts';
import { addTimelineEvent, type NewTimelineEvent } from '../store/timeline.ts';

/**
 * The record of an agent: its conversation, timeline and interactions, in order. Changes are buffered. One statement
 * stores them before a model or tool call, before a text is shown, or in `store`. Storing throws LeaseLostError.
 *
 * Tools receive the model's unmasked arguments. Stored and displayed arguments are masked, so that no secret persists.
 */
export interface Transcript {
  readonly messages: readonly NewMessage[];
  readonly lastMessageSequence: number;
  readonly isResumed: boolean;
  /** Sequence number of the last source update that the agent received; 0 if none. */
  readonly newsThrough: number;
  /** The hints that the agent has read. */
  readonly hints: ReadHints;
  /** Names of tools that the timeline already reports as not offered to the model. */
  readonly unoffered: Set<string>;
  /** Adds a message to the conversation; masks the arguments of its tool calls. */
  addMessage(message: NewMessage): Promise<void>;
  /** Returns tool calls with masked arguments, as they may be stored. */
  kept(calls: readonly ToolCallValue[]): ToolCallValue[];
  /** Adds a completed timeline item and stores all buffered changes. */
  addEvent(event: Omit<NewTimelineEvent, 'status'>): Promise<void>;
  /** Records the fallback to another provider, in the timeline and in the execution. */
  addFallback(to: ProviderChange, event: Pick<NewTimelineEvent, 'content' | 'metadata'>): Promise<void>;
  noteMemories(ids: readonly string[]): void;
  openTimelineEvent(type: TimelineEventType, metadata?: Record<string, unknown>): Promise<OpenTimelineEvent>;
  /** Records a model call. `lastMessageSequence: null` if its prompt was not this conversation. */
  recordLlm(
    record: Omit<LlmInteractionRecord, 'lastMessageSequence'> & { lastMessageSequence?: null },
  ): Promise<void>;
  recordMcp(record: McpInteractionRecord): Promise<void>;
  note(...changes: RowChange[]): void;
  store(): Promise<void>;
}

interface TranscriptDeps {
  db: Queryable;
  journal: Journal;
  sessionId: string;
  ids: { stageId: string; executionId: string };
  /** True if an earlier run started the execution. */
  isResumed: boolean;
  masking: Pick<Masking, 'maskArguments'>;
  turnCipher: ProviderTurnCipher;
}

/** Opens an execution's transcript with its stored conversation. */
export async function openTranscript(deps: TranscriptDeps): Promise<Transcript> {
  const { db, journal, ids, masking, turnCipher } = deps;
  const { executionId } = ids;
  const key = { sessionId: deps.sessionId, executionId };
  const stored = deps.isResumed ? await readMessages(db, key) : [];
  const messages = stored.map((row) => fromRow(row, turnCipher));
  // Cached, because each call is masked for the timeline, the trace and the conversation.
  const keptCall = oncePer(({ id, name, arguments: args }: ToolCallValue): ToolCallValue => {
    const masked = masking.maskArguments(parseToolName(name)?.server ?? '', args);
    return { id: toStorable(id), name: toStorable(name), arguments: toStorable(masked) };
  });
  const kept: Transcript['kept'] = (calls) => calls.map(keptCall);

  return {
    messages,
    isResumed: deps.isResumed,
    hints: { numbers: new Set(deps.isResumed ? await readHintNumbers(db, key) : []), through: 0 },
    unoffered: new Set(deps.isResumed ? await readUnofferedTools(db, key) : []),
    get lastMessageSequence() {
      return messages.length;
    },
    get newsThrough() {
      return messages.findLast(({ newsThrough }) => newsThrough !== undefined)?.newsThrough ?? 0;
    },
    async addMessage(message) {
      const { toolCalls, providerTurn, ...rest } = message;
      const said = {
        ...rest,
        content: toStorable(message.content),
        ...(toolCalls ? { toolCalls: kept(toolCalls) } : {}),
      };
      messages.push(providerTurn ? { ...said, providerTurn } : said);
      const sealed = providerTurn ? turnCipher.seal(providerTurn) : null;
      journal.note(addMessage(ids, messages.length, { ...said, providerTurn: sealed }));
    },
    kept,
    addEvent: (event) => journal.write(addTimelineEvent(ids, { ...event, status: 'COMPLETED' })),
    addFallback: (to, event) =>
      journal.write(
        changeProvider(executionId, to),
        addTimelineEvent(ids, { ...event, type: 'PROVIDER_FALLBACK', status: 'COMPLETED' }),
      ),
    noteMemories: (ids) =>
      journal.note(...ids.map((memoryId) => ({ writer: MEMORY_USE, row: { memoryId } }))),
    openTimelineEvent: async (type, metadata) => journal.openTimelineEvent(type, metadata),
    async recordLlm(record) {
      journal.note(...recordLlmCall(ids, { lastMessageSequence: messages.length, ...record }));
    },
    async recordMcp(record) {
      const args = keptArguments(masking, record.serverName, record.arguments);
      journal.note(recordMcpCall(ids, { ...record, arguments: args }));
    },
    note: (...changes) => journal.note(...changes),
    store: () => journal.write(),
  };
}

/** Returns masked arguments in the input's form: text stays text, an object stays an object. */
function keptArguments(masking: TranscriptDeps['masking'], serverName: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === 'string') return masking.maskArguments(serverName, value);
  return JSON.parse(masking.maskArguments(serverName, JSON.stringify(value)));
}

function fromRow(row: MessageRow, turnCipher: ProviderTurnCipher): NewMessage {
  const providerTurn = row.providerTurn ? turnCipher.open(row.providerTurn) : null;
  return {
    role: row.role,
    content: row.content,
    ...(row.toolCalls ? { toolCalls: row.toolCalls } : {}),
    ...(row.toolCallId ? { toolCallId: row.toolCallId } : {}),
    ...(row.toolName ? { toolName: row.toolName } : {}),
    ...(row.failed ? { failed: true } : {}),
    ...(row.newsThrough == null ? {} : { newsThrough: row.newsThrough }),
    ...(row.subAgentId ? { subAgentId: row.subAgentId } : {}),
    ...(providerTurn === null ? {} : { providerTurn }),
  };
}
