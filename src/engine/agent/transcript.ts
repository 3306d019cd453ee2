import type { Logger } from 'pino';
import type { MessageRow, TimelineEventRow, ToolCallValue } from '../../db/entities/index.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { parseToolName } from '../../mcp/tool-names.ts';
import type { Announcer } from '../events/announcer.ts';
import { decodeRow, type Fence } from '../events/log.ts';
import { createStreamWriter, type StreamWriter } from '../events/stream-writer.ts';
import {
  insertMessage,
  type LlmInteractionRecord,
  type McpInteractionRecord,
  type NewMessage,
  recordLlmInteraction,
  recordMcpInteraction,
} from './records.ts';
import {
  completeTimelineEvent,
  createTimelineEvent,
  type NewTimelineEvent,
  type TimelineEventEnd,
} from './timeline.ts';
import type { TurnBox } from './turn-box.ts';

/** A timeline item whose text is growing. */
export interface OpenItem {
  readonly id: string;
  append(delta: string): Promise<void>;
  /** Ends the item with the text that was streamed, or with `content` instead. Returns the text. */
  close(end: Omit<TimelineEventEnd, 'content'> & { content?: string }): Promise<string>;
}

/**
 * Everything an agent says and does, written as it happens: the one place that writes messages, timeline and
 * interactions and streams text. A run that lost its lease gets a LeaseLostError from each of these.
 *
 * A tool gets its arguments as the model made them; what is kept of them, shown, and told to the model later on is
 * masked. So no secret that a model was told or made up stays anywhere, and the conversation is the same after a crash.
 */
export interface Transcript {
  /** The conversation so far, as it is stored. */
  readonly messages: readonly NewMessage[];
  readonly lastMessageSequence: number;
  /** Place in the timeline of the last news that the agent was told; 0 = none. */
  readonly newsThrough: number;
  /** Names of the tools of which the timeline says already that the model is not offered them. */
  readonly unoffered: Set<string>;
  /** Arguments of its tool calls are masked. */
  addMessage(message: NewMessage): Promise<void>;
  /** Tool calls as they may be kept: with masked arguments. */
  kept(calls: readonly ToolCallValue[]): ToolCallValue[];
  addEvent(event: Omit<NewTimelineEvent, 'status'>): Promise<TimelineEventRow>;
  /** Opens an item that streams. Its metadata can be completed when it closes. */
  openItem(type: TimelineEventType, metadata?: Record<string, unknown>): Promise<OpenItem>;
  /** Records a call of the model that carried the conversation so far, or, with null, messages of its own. */
  recordLlm(
    record: Omit<LlmInteractionRecord, 'lastMessageSequence'> & { lastMessageSequence?: null },
  ): Promise<void>;
  recordMcp(record: McpInteractionRecord): Promise<void>;
}

export interface TranscriptDeps {
  db: Queryable;
  announcer: Pick<Announcer, 'announce'>;
  fence: Fence;
  place: { stageId: string; executionId: string };
  masking: Pick<Masking, 'maskArguments'>;
  turns: TurnBox;
  logger: Logger;
}

/** Opens an execution's transcript with what is stored of it already. */
export async function openTranscript(deps: TranscriptDeps): Promise<Transcript> {
  const { db, fence, place, masking, turns } = deps;
  const messages: NewMessage[] = await readMessages(db, place.executionId, turns);
  const kept: Transcript['kept'] = (calls) =>
    calls.map(({ id, name, arguments: args }) => {
      const server = parseToolName(name)?.server ?? '';
      return { id, name, arguments: masking.maskArguments(server, args) };
    });

  return {
    messages,
    unoffered: await readUnoffered(db, place.executionId),
    get lastMessageSequence() {
      return messages.length;
    },
    get newsThrough() {
      return messages.findLast(({ newsThrough }) => newsThrough !== undefined)?.newsThrough ?? 0;
    },
    async addMessage(message) {
      const { toolCalls, providerTurn, ...rest } = message;
      const row = await insertMessage(db, fence, place, messages.length + 1, {
        ...rest,
        ...(toolCalls ? { toolCalls: kept(toolCalls) } : {}),
        providerTurn: providerTurn ? turns.seal(providerTurn) : null,
      });
      messages.push(fromRow(row, turns));
    },
    kept,
    addEvent: (event) => createTimelineEvent(db, fence, place, { ...event, status: 'COMPLETED' }),
    openItem: (type, metadata) => openStreamingItem(deps, place, type, metadata),
    recordLlm: (record) =>
      recordLlmInteraction(db, fence, place, { lastMessageSequence: messages.length, ...record }),
    recordMcp: (record) =>
      recordMcpInteraction(db, fence, place, {
        ...record,
        arguments: keptArguments(masking, record.serverName, record.arguments),
      }),
  };
}

/** Arguments as they may be kept, in the form they were given: text, or what was parsed of it. */
function keptArguments(masking: TranscriptDeps['masking'], serverName: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === 'string') return masking.maskArguments(serverName, value);
  return JSON.parse(masking.maskArguments(serverName, JSON.stringify(value)));
}

/** Opens a streaming item of an execution, or of the session itself. */
export async function openStreamingItem(
  deps: Pick<TranscriptDeps, 'db' | 'announcer' | 'fence' | 'logger'>,
  place: { stageId: string | null; executionId: string | null },
  type: TimelineEventType,
  metadata?: Record<string, unknown>,
): Promise<OpenItem> {
  const { db, announcer, fence, logger } = deps;
  const event = { type, status: 'STREAMING', content: '', metadata: metadata ?? null } as const;
  const row = await createTimelineEvent(db, fence, place, event);
  // A text that could not be saved meanwhile is no loss: the item's end carries the whole text.
  const onError = (error: unknown) => logger.warn({ err: error }, 'streaming text could not be saved');
  let writer: StreamWriter | null = null;
  return {
    id: row.id,
    append(delta) {
      writer ??= createStreamWriter({ db, announcer, fence, timelineEventId: row.id, onError });
      return writer.append(delta);
    },
    async close({ content, ...end }) {
      const streamed = writer ? await writer.finish() : '';
      const text = content ?? streamed;
      await completeTimelineEvent(db, fence, row.id, { ...end, content: text });
      return text;
    },
  };
}

async function readMessages(db: Queryable, executionId: string, turns: TurnBox): Promise<NewMessage[]> {
  const { rows } = await db.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(m) as row from messages m where execution_id = $1 order by sequence_number',
    [executionId],
  );
  return rows.map(({ row }) => fromRow(decodeRow(row), turns));
}

/** Told by an earlier run of this execution. */
async function readUnoffered(db: Queryable, executionId: string): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string }>(
    `select tool->>'name' as name from timeline_events t, jsonb_array_elements(t.metadata->'unoffered') tool
     where t.execution_id = $1 and t.type = 'ERROR' and t.metadata ? 'unoffered'`,
    [executionId],
  );
  return new Set(rows.map(({ name }) => name));
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
    ...(providerTurn === null ? {} : { providerTurn }),
  };
}
