import { createHmac } from 'node:crypto';
import { ACK_MS } from './link.ts';
import { BOT_USER, SIGNING_SECRET, SLACK_CHANNEL, SLACK_TEAM } from './workspace.ts';

export interface Delivered {
  /** Status of each attempt; 0 if there was no answer within 3 s. */
  statuses: number[];
  /** Body of the last answer. */
  body: string;
}

export interface SignedRequest {
  body: string;
  type: 'application/json' | 'application/x-www-form-urlencoded';
  /** Unix time of the signature (s). Default: now. */
  at?: number;
  secret?: string;
  signature?: string;
}

/** Payloads as Slack sends them, and signed requests with Slack's retries. */
export interface Deliveries {
  /** Event envelope of an event, such as a message. */
  event(event: object, more?: object): object;
  /** A message of a user in the channel, for `event`. */
  message(user: string, text: string, more?: object): object;
  /** Payload of a click on a button of a message. */
  click(user: string, action: { action_id: string; value?: string }, more?: object): object;
  command(user: string, text: string, more?: Record<string, string>): Record<string, string>;
  /** Sends one signed request, without retries. */
  sendOnce(
    url: string,
    request: SignedRequest,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: string }>;
  /** Delivers a payload. Events are retried up to three times, until the app acknowledges within 3 s. */
  deliver(url: string, kind: 'event' | 'interactive' | 'command', payload: object): Promise<Delivered>;
}

export function createDeliveries(nextTs: () => string): Deliveries {
  const deliveries: Deliveries = {
    event: (event, more = {}) => ({
      token: 'verification',
      team_id: SLACK_TEAM,
      api_app_id: 'A0000APP',
      event,
      type: 'event_callback',
      event_id: `Ev${nextTs().replace('.', '')}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [{ enterprise_id: null, team_id: SLACK_TEAM, user_id: BOT_USER, is_bot: true }],
      ...more,
    }),
    message: (user, text, more = {}) => ({
      type: 'message',
      user,
      text,
      ts: nextTs(),
      team: SLACK_TEAM,
      channel: SLACK_CHANNEL,
      channel_type: 'channel',
      ...more,
    }),
    click: (user, action, more = {}) => ({
      type: 'block_actions',
      user: { id: user, team_id: SLACK_TEAM, username: user },
      team: { id: SLACK_TEAM, domain: 'test' },
      api_app_id: 'A0000APP',
      trigger_id: nextTs(),
      channel: { id: SLACK_CHANNEL, name: 'test' },
      container: { type: 'message', message_ts: '0', channel_id: SLACK_CHANNEL },
      actions: [{ type: 'button', action_ts: nextTs(), block_id: 'b', ...action }],
      ...more,
    }),
    command: (user, text, more = {}) => ({
      team_id: SLACK_TEAM,
      channel_id: SLACK_CHANNEL,
      user_id: user,
      command: '/tarsy',
      text,
      api_app_id: 'A0000APP',
      trigger_id: nextTs(),
      response_url: 'https://hooks.slack.invalid/commands/1',
      ...more,
    }),
    async sendOnce(
      url,
      { body, type, at = Math.floor(Date.now() / 1000), secret = SIGNING_SECRET, signature },
      headers = {},
    ) {
      const signed = `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`;
      const response = await fetch(`${url}/slack/events`, {
        method: 'POST',
        body,
        headers: {
          'content-type': type,
          'x-slack-request-timestamp': String(at),
          'x-slack-signature': signature ?? signed,
          ...headers,
        },
        signal: AbortSignal.timeout(ACK_MS),
      });
      return { status: response.status, body: await response.text() };
    },
    async deliver(url, kind, payload) {
      const statuses: number[] = [];
      for (let retry = 0; ; retry += 1) {
        const retried: Record<string, string> =
          retry === 0 ? {} : { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_error' };
        const answer = await deliveries
          .sendOnce(url, encoded(kind, payload), retried)
          .catch(() => ({ status: 0, body: '' }));
        statuses.push(answer.status);
        const isDone = answer.status >= 200 && answer.status < 300;
        if (isDone || kind !== 'event' || retry === 3) return { statuses, body: answer.body };
      }
    },
  };
  return deliveries;
}

/** Returns the body of a payload, in the content type that Slack uses for its kind. */
export function encoded(kind: 'event' | 'interactive' | 'command', payload: object): SignedRequest {
  if (kind === 'event') return { body: JSON.stringify(payload), type: 'application/json' };
  const fields =
    kind === 'interactive' ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>);
  return { body: new URLSearchParams(fields).toString(), type: 'application/x-www-form-urlencoded' };
}
