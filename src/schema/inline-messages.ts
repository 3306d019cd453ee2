import { z } from 'zod';
import type { MessageRow } from '../db/entities/index.ts';
import { MESSAGE_ROLES } from '../db/enums.ts';
import type { Loaders } from './context.ts';
import type { LlmInteractionHead } from './views.ts';

/** A message as the API shows it: a stored row, or a part of a model call's request. */
export type MessageView = Pick<
  MessageRow,
  'id' | 'sequenceNumber' | 'role' | 'content' | 'toolCalls' | 'toolCallId' | 'toolName' | 'createdAt'
>;

/** Identifies a message that exists only in the request of an LLM interaction. */
export interface InlinePlace {
  interactionId: string;
  sequenceNumber: number; // 1-based
}

const KEY = /^([0-9a-f-]{36})\.([1-9]\d{0,5})$/;

export function parseInlineKey(key: string): InlinePlace | null {
  const match = KEY.exec(key);
  return match ? { interactionId: match[1]!, sequenceNumber: Number(match[2]) } : null;
}

const requestMessage = z.object({
  role: z
    .string()
    .transform((role) => role.toUpperCase())
    .pipe(z.enum(MESSAGE_ROLES)),
  content: z.string().default(''),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).nullish(),
  toolCallId: z.string().nullish(),
  toolName: z.string().nullish(),
});

/**
 * Returns the messages of a model call without an execution. They are stored in the request of the interaction only.
 */
export async function inlineMessages(
  interaction: LlmInteractionHead,
  loaders: Loaders,
): Promise<MessageView[]> {
  const body = await loaders.llmInteractionBody.load(interaction.id);
  const parsed = z.array(requestMessage).safeParse(body?.request.messages ?? []);
  return (parsed.data ?? []).map((message, index) => ({
    id: `${interaction.id}.${index + 1}`,
    sequenceNumber: index + 1,
    role: message.role,
    content: message.content,
    toolCalls: message.toolCalls ?? null,
    toolCallId: message.toolCallId ?? null,
    toolName: message.toolName ?? null,
    createdAt: interaction.createdAt,
  }));
}

export async function inlineMessage(place: InlinePlace, loaders: Loaders): Promise<MessageView | null> {
  const interaction = await loaders.llmInteraction.load(place.interactionId);
  if (!interaction) return null;
  return (await inlineMessages(interaction, loaders))[place.sequenceNumber - 1] ?? null;
}
