import { z } from 'zod';

const id = z.string().regex(/^[A-Z0-9]{2,40}$/);
const ts = z.string().regex(/^\d{1,12}\.\d{1,9}$/);
const text = z.string().max(100_000);

const place = { user: id, channel: id };

/** A request of a user. `ts` values are ids of messages. */
export const contentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('mention'), ...place, ts, threadTs: ts.nullable(), text }),
  z.object({ type: z.literal('reaction'), ...place, ts }),
  z.object({ type: z.literal('command'), ...place, text }),
  z.object({
    type: z.literal('click'),
    ...place,
    action: z.string().max(255),
    value: z.string().max(2000),
    threadTs: ts.nullable(),
  }),
]);
export type RequestContent = z.output<typeof contentSchema>;

/** A payload of Slack that TARSy understands. `key` identifies the request, so that a repetition is recognized. */
export type Payload =
  | { kind: 'challenge'; challenge: string }
  | { kind: 'request'; teamId: string; key: string; content: RequestContent }
  /** A valid payload about nothing that TARSy handles. */
  | { kind: 'ignored' };

const IGNORED: Payload = { kind: 'ignored' };

const eventSchema = z.object({
  type: z.literal('event_callback'),
  team_id: id,
  event_id: z.string().min(1).max(100),
  event: z.looseObject({ type: z.string() }),
});

const mentionSchema = z.object({
  type: z.literal('app_mention'),
  user: id,
  channel: id,
  ts,
  thread_ts: ts.optional(),
  text,
  bot_id: z.undefined().optional(),
  subtype: z.undefined().optional(),
});

const reactionSchema = z.object({
  type: z.literal('reaction_added'),
  user: id,
  reaction: z.string(),
  item: z.object({ type: z.literal('message'), channel: id, ts }),
});

/** Reads an envelope of the Events API. @param reaction emoji that starts an investigation @throws ZodError */
export function readEvent(body: unknown, reaction: string | null): Payload {
  const check = z
    .object({ type: z.literal('url_verification'), challenge: z.string().max(1000) })
    .safeParse(body);
  if (check.success) return { kind: 'challenge', challenge: check.data.challenge };
  const { team_id: teamId, event_id: eventId, event } = eventSchema.parse(body);
  const request = (content: RequestContent): Payload => ({
    ...{ kind: 'request', teamId, key: `event:${eventId}`, content },
  });
  const mention = mentionSchema.safeParse(event);
  if (mention.success) {
    const { user, channel, ts: messageTs, thread_ts: threadTs = null, text: said } = mention.data;
    return request({ type: 'mention', user, channel, ts: messageTs, threadTs, text: said });
  }
  const added = reactionSchema.safeParse(event);
  if (!added.success || reaction === null || added.data.reaction !== reaction) return IGNORED;
  const { user, item } = added.data;
  return request({ type: 'reaction', user, channel: item.channel, ts: item.ts });
}

const commandSchema = z.object({
  team_id: id,
  channel_id: id,
  user_id: id,
  text: text.prefault(''),
  trigger_id: z.string().min(1).max(200),
});

/** Reads the fields of a slash command. @throws ZodError */
export function readCommand(body: unknown): Payload {
  const {
    team_id: teamId,
    channel_id: channel,
    user_id: user,
    text: said,
    trigger_id: key,
  } = commandSchema.parse(body);
  return {
    kind: 'request',
    teamId,
    key: `command:${key}`,
    content: { type: 'command', user, channel, text: said },
  };
}

const clickSchema = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id }),
  user: z.object({ id }),
  channel: z.object({ id }),
  trigger_id: z.string().min(1).max(200),
  message: z.looseObject({ ts: ts.optional(), thread_ts: ts.optional() }).optional(),
  actions: z
    .array(z.object({ action_id: z.string().max(255), value: z.string().max(2000).prefault('') }))
    .length(1),
});

/** Reads a click on a button. @throws ZodError */
export function readInteraction(body: unknown): Payload {
  if (z.object({ type: z.literal('block_actions') }).safeParse(body).success === false) return IGNORED;
  const { team, user, channel, trigger_id: key, message, actions } = clickSchema.parse(body);
  const { action_id: action, value } = actions[0]!;
  const threadTs = message?.thread_ts ?? null;
  const content: RequestContent = {
    type: 'click',
    user: user.id,
    channel: channel.id,
    action,
    value,
    threadTs,
  };
  return { kind: 'request', teamId: team.id, key: `click:${key}`, content };
}

/** Reads the body of a signed HTTP request: an event as JSON, else a command or a click as a form. @throws ZodError, SyntaxError */
export function readBody(body: string, contentType: string, reaction: string | null): Payload {
  if (!contentType.startsWith('application/x-www-form-urlencoded'))
    return readEvent(JSON.parse(body), reaction);
  const fields = new URLSearchParams(body);
  const payload = fields.get('payload');
  return payload === null ? readCommand(Object.fromEntries(fields)) : readInteraction(JSON.parse(payload));
}
