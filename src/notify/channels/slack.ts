import { createSlackClient, SLACK_CALL_MS } from '../../engine/features/slack/client.ts';
import { isRateLimit, SlackCallError } from '../../engine/features/slack/failure.ts';
import {
  type Block,
  blockText,
  escapeText,
  formatted,
  plain,
  section,
} from '../../engine/features/slack/text.ts';
import { SendError } from '../failure.ts';
import { factsOf, type Notice } from '../notice.ts';
import type { Send } from './channel.ts';

export interface SlackOptions {
  token: string;
  channel: string;
  /** @default Slack's own API */
  apiUrl?: string;
}

/** Returns a channel that posts to a channel of Slack. A repeated attempt may post twice, because Slack ignores ids. */
export function slackChannel(options: SlackOptions): Send {
  return async ({ id, notice }, signal) => {
    const client = createSlackClient({ ...options, callTimeoutMs: SLACK_CALL_MS, signal });
    try {
      await client.post(slackMessage(id, notice), null);
      return null;
    } catch (error) {
      if (!(error instanceof SlackCallError)) throw error;
      const { code, isTemporary, retryAfterMs } = error.failure;
      if (code === 'unreachable') throw new SendError('Slack could not be reached.', { code: 'UNREACHABLE' });
      throw new SendError(`Slack refused the message: ${code}.`, {
        ...{ code: `SLACK_${code.toUpperCase()}`, isFinal: !isTemporary, retryAfterMs },
        isRateLimited: isRateLimit(error.failure),
      });
    }
  };
}

/** Returns a message whose texts are plain, so that they neither mention, link nor format. */
function slackMessage(id: string, notice: Notice): { text: string; blocks: Block[] } {
  const { title, toDo, why, call, link } = notice;
  const texts = [
    title,
    factsOf(notice)
      .map(({ label, value }) => `${label}: ${value}`)
      .join('\n'),
    ...(why === null ? [] : [`Why\n${why}`]),
    ...(call === null ? [] : [`Arguments\n${call.arguments}`]),
    ...(toDo.length === 0 ? [] : [`To do\n${toDo.map((text) => `• ${text}`).join('\n')}`]),
  ];
  const shown = texts.filter((text) => text !== '').map((text) => section(plain(blockText(text))));
  const open = section(formatted(`<${escapeText(link)}|Open the page>`));
  // The id marks the message as TARSy's own for searches of alerts in the channel.
  const [first, ...rest] = [...shown, open];
  return { text: blockText(title), blocks: [{ ...first!, block_id: `tarsy:notice:${id}` }, ...rest] };
}
