import type { Logger } from 'pino';
import { ZodError } from 'zod';
import { settlesWithin } from '../common/time-limit.ts';
import type { SlackIdentity } from '../engine/features/slack/client.ts';
import type { Payload, RequestContent } from './payload.ts';
import { newRequest, type StoreRequest } from './requests.ts';

/** Result of taking a payload. `reply`: text for the user who sent a command; `null` if there is none. */
export type Taken =
  | { kind: 'challenge'; challenge: string }
  | { kind: 'accepted'; reply: string | null }
  | { kind: 'refused'; why: 'MALFORMED' | 'OTHER_WORKSPACE' | 'UNAVAILABLE' };

/** Takes payloads of both transports. A payload is acknowledged once it is stored. */
export interface SlackInbox {
  take(read: () => Payload): Promise<Taken>;
}

/** Time that a payload waits for the identity of the app (ms), because Slack waits 3 s for the acknowledgement. */
const IDENTITY_MS = 1_500;

export function createInbox(deps: {
  channel: string;
  identity: () => Promise<SlackIdentity>;
  store: StoreRequest;
  mask: (text: string) => string;
  logger: Logger;
}): SlackInbox {
  const { channel, store, logger } = deps;
  let known: Promise<SlackIdentity> | null = null;
  const identity = async (): Promise<SlackIdentity | null> => {
    known ??= deps.identity();
    const asked = known;
    let found: SlackIdentity | null = null;
    const read = asked.then(
      (value) => {
        found = value;
      },
      () => {
        known = null; // asked again for the next payload
      },
    );
    await settlesWithin(IDENTITY_MS, read);
    return found;
  };
  const masked = (content: RequestContent): RequestContent =>
    'text' in content ? { ...content, text: deps.mask(content.text) } : content;
  return {
    async take(read) {
      let payload: Payload;
      try {
        payload = read();
      } catch (error) {
        if (!(error instanceof SyntaxError || error instanceof ZodError)) throw error;
        return { kind: 'refused', why: 'MALFORMED' };
      }
      if (payload.kind === 'challenge') return payload;
      if (payload.kind === 'ignored') return { kind: 'accepted', reply: null };
      const app = await identity();
      if (app === null) return { kind: 'refused', why: 'UNAVAILABLE' };
      if (payload.teamId !== app.teamId) return { kind: 'refused', why: 'OTHER_WORKSPACE' };
      const { content, key } = payload;
      if (content.user === app.botUserId) return { kind: 'accepted', reply: null }; // TARSy's own message
      const isCommand = content.type === 'command';
      if (content.channel !== channel)
        return { kind: 'accepted', reply: isCommand ? `TARSy works in <#${channel}> only.` : null };
      if (isCommand && content.text.trim() === '') return { kind: 'accepted', reply: USAGE };
      const isNew = await store(newRequest(key, masked(content)));
      if (!isNew) logger.info({ key }, 'repeated slack request ignored');
      return {
        kind: 'accepted',
        reply: isCommand ? 'TARSy received this and will answer in this channel.' : null,
      };
    },
  };
}

const USAGE = 'Write what is wrong and where, such as: /tarsy Disk of db-1 is full since 14:00.';
