import { oncePer } from '../../common/once-per.ts';
import { storable } from '../../common/storable.ts';
import type { MessageRow, ToolCallValue } from '../../db/entities/index.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { parseToolName } from '../../mcp/tool-names.ts';
import { MEMORY_USE } from '../features/memory/store.ts';
import type { TurnBox } from '../model/provider-turn-cipher.ts';
import type { Change } from '../store/event-statement.ts';
import {
  type LlmInteractionRecord,
  type McpInteractionRecord,
  recordLlmCall,
  recordMcpCall,
} from '../store/interactions.ts';
import type { Journal, OpenItem } from '../store/journal.ts';
import { addMessage, type NewMessage } from '../store/messages.ts';
import { readMessages, readUnoffered } from '../store/progress.ts';
import { changeProvider, type ProviderChange } from '../store/stages-and-executions.ts';
import { addItem, type NewTimelineEvent } from '../store/timeline.ts';

export type { OpenItem } from '../store/journal.ts';

/**
 * Everything an agent says and does, in order: its conversation, timeline and interactions. What happens at once is
 * noted, and stored together: before a model or a tool is turned to (`stored-first.ts`), before a text is shown, or with `store`.
 * A run that lost its lease gets a LeaseLostError then.
 *
 * A tool gets its arguments as the model made them; what is kept of them, shown, and told to the model later on is
 * masked. So no secret that a model was told or made up stays anywhere, and the conversation is the same after a crash.
 */
export interface Transcript {
  /** The conversation so far, as it is stored. */
  readonly messages: readonly NewMessage[];
  readonly lastMessageSequence: number;
  /** An earlier run began it. */
  readonly isResumed: boolean;
  /** Place in the timeline of the last news that the agent was told; 0 = none. */
  readonly newsThrough: number;
  /** Names of the tools of which the timeline says already that the model is not offered them. */
  readonly unoffered: Set<string>;
  /** Arguments of its tool calls are masked. */
  addMessage(message: NewMessage): Promise<void>;
  /** Tool calls as they may be kept: with masked arguments. */
  kept(calls: readonly ToolCallValue[]): ToolCallValue[];
  /** Shown at once. */
  addEvent(event: Omit<NewTimelineEvent, 'status'>): Promise<void>;
  /** Another provider goes on with it: shown, and the execution's own from now on. */
  addFallback(to: ProviderChange, event: Pick<NewTimelineEvent, 'content' | 'metadata'>): Promise<void>;
  /** Notes that the agent is given memories. */
  noteMemories(ids: readonly string[]): void;
  /** Opens an item that streams. Its metadata can be completed when it closes. */
  openItem(type: TimelineEventType, metadata?: Record<string, unknown>): Promise<OpenItem>;
  /** Records a call of the model that carried the conversation so far, or, with null, messages of its own. */
  recordLlm(
    record: Omit<LlmInteractionRecord, 'lastMessageSequence'> & { lastMessageSequence?: null },
  ): Promise<void>;
  recordMcp(record: McpInteractionRecord): Promise<void>;
  /** Notes what is stored with what is noted next. */
  note(...changes: Change[]): void;
  /** Stores what is noted. */
  store(): Promise<void>;
}

export interface TranscriptDeps {
  db: Queryable;
  journal: Journal;
  ids: { stageId: string; executionId: string };
  /** An earlier run began the execution. */
  isResumed: boolean;
  masking: Pick<Masking, 'maskArguments'>;
  turns: TurnBox;
}

/** Opens an execution's transcript with what is stored of it already. */
export async function openTranscript(deps: TranscriptDeps): Promise<Transcript> {
  const { db, journal, ids, masking, turns } = deps;
  const { executionId } = ids;
  const stored = deps.isResumed ? await readMessages(db, executionId) : [];
  const messages = stored.map((row) => fromRow(row, turns));
  // A call is shown, traced and stored.
  const keptCall = oncePer(({ id, name, arguments: args }: ToolCallValue): ToolCallValue => {
    const masked = masking.maskArguments(parseToolName(name)?.server ?? '', args);
    return { id: storable(id), name: storable(name), arguments: storable(masked) };
  });
  const kept: Transcript['kept'] = (calls) => calls.map(keptCall);

  return {
    messages,
    isResumed: deps.isResumed,
    unoffered: new Set(deps.isResumed ? await readUnoffered(db, executionId) : []),
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
        content: storable(message.content),
        ...(toolCalls ? { toolCalls: kept(toolCalls) } : {}),
      };
      messages.push(providerTurn ? { ...said, providerTurn } : said);
      const sealed = providerTurn ? turns.seal(providerTurn) : null;
      journal.note(addMessage(ids, messages.length, { ...said, providerTurn: sealed }));
    },
    kept,
    addEvent: (event) => journal.write(addItem(ids, { ...event, status: 'COMPLETED' })),
    addFallback: (to, event) =>
      journal.write(
        changeProvider(executionId, to),
        addItem(ids, { ...event, type: 'PROVIDER_FALLBACK', status: 'COMPLETED' }),
      ),
    noteMemories: (ids) => journal.note(...ids.map((memoryId) => ({ part: MEMORY_USE, row: { memoryId } }))),
    openItem: async (type, metadata) => journal.openItem(type, metadata),
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

/** Arguments as they may be kept, in the form they were given: text, or what was parsed of it. */
function keptArguments(masking: TranscriptDeps['masking'], serverName: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === 'string') return masking.maskArguments(serverName, value);
  return JSON.parse(masking.maskArguments(serverName, JSON.stringify(value)));
}

function fromRow(row: MessageRow, turns: TurnBox): NewMessage {
  const providerTurn = row.providerTurn ? turns.open(row.providerTurn) : null;
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
