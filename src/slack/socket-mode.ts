import { setTimeout as delay } from 'node:timers/promises';
import { SocketModeClient } from '@slack/socket-mode';
import type { Logger } from 'pino';
import { settlesWithin } from '../common/time-limit.ts';
import { SILENT } from '../engine/features/slack/client.ts';
import { webSocketDispatcher } from '../outgoing/dispatcher.ts';
import type { SlackInbox } from './inbox.ts';
import { type Payload, readCommand, readEvent, readInteraction } from './payload.ts';

export interface SocketModeDeps {
  inbox: SlackInbox;
  appToken: string;
  /** @default Slack's own API */
  apiUrl?: string;
  reaction: string | null;
  /** Called with the code of each failed connection, and with `null` after each successful one. */
  reportFailure: (code: string | null) => Promise<void>;
  logger: Logger;
}

/** Pause before the next connection (ms); doubles with each failure up to the maximum. */
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 30_000;

/** Time until a connection must be ready (ms). */
const CONNECT_MS = 20_000;

interface Envelope {
  ack: (answer?: Record<string, unknown>) => Promise<void>;
  type: string;
  body: unknown;
}

/** Keeps a WebSocket to Slack, over which requests arrive instead of HTTP. Connects again when Slack closes it. */
export function startSocketMode(deps: SocketModeDeps): { stop(): Promise<void> } {
  const { logger } = deps;
  const stopping = new AbortController();
  let client: SocketModeClient | null = null;

  async function run(): Promise<void> {
    let pauseMs = RETRY_MIN_MS;
    while (!stopping.signal.aborted) {
      // The library's own reconnecting would end the process by an unhandled rejection when Slack is unreachable.
      client = createClient(deps);
      const closed = new Promise<void>((resolve) => client?.once('disconnected', () => resolve()));
      try {
        await connect(client);
        await deps.reportFailure(null);
        logger.info('slack socket connected');
        pauseMs = RETRY_MIN_MS;
        await closed;
      } catch (error) {
        const code = codeOf(error);
        logger.warn({ code }, 'slack socket not connected, retrying');
        await deps.reportFailure(code);
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, RETRY_MAX_MS);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      if (client) await settlesWithin(1_000, client.disconnect());
      await settlesWithin(2_000, running);
    },
  };
}

async function connect(client: SocketModeClient): Promise<void> {
  const started = client.start();
  if (await settlesWithin(CONNECT_MS, started)) {
    await started;
    return;
  }
  void client.disconnect();
  throw new Error('no connection in time');
}

/** A URL of Slack's WebSockets. The proxy for it, if any, carries them. */
const SOCKET_URL = 'https://wss-primary.slack.com';

function createClient({ appToken, apiUrl, ...deps }: SocketModeDeps): SocketModeClient {
  // The library makes its own connections, which would bypass the proxy.
  const dispatcher = webSocketDispatcher(new URL(apiUrl ?? SOCKET_URL));
  const client = new SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    logger: SILENT,
    ...(dispatcher === null ? {} : { dispatcher }),
    clientOptions: {
      ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: 10_000,
    },
  });
  client.on('error', () => {}); // a failed connection also ends in `disconnected`
  client.on('slack_event', (envelope: Envelope) => {
    take(deps, envelope).catch((error: unknown) =>
      deps.logger.error({ err: error }, 'slack envelope not stored, Slack repeats it'),
    );
  });
  return client;
}

/** Stores the request of an envelope, then acknowledges it. Slack repeats what is not acknowledged within 3 s. */
async function take(
  { inbox, reaction, logger }: Pick<SocketModeDeps, 'inbox' | 'reaction' | 'logger'>,
  { ack, type, body }: Envelope,
): Promise<void> {
  const taken = await inbox.take(() => readEnvelope(type, body, reaction));
  if (taken.kind === 'refused') {
    logger.warn({ why: taken.why }, 'slack envelope refused');
    if (taken.why === 'UNAVAILABLE') return;
  }
  const reply = taken.kind === 'accepted' ? taken.reply : null;
  await ack(reply === null ? undefined : { response_type: 'ephemeral', text: reply });
}

function readEnvelope(type: string, body: unknown, reaction: string | null): Payload {
  if (type === 'events_api') return readEvent(body, reaction);
  if (type === 'slash_commands') return readCommand(body);
  return type === 'interactive' ? readInteraction(body) : { kind: 'ignored' };
}

function codeOf(error: unknown): string {
  const { data } = (error ?? {}) as { data?: { error?: unknown } };
  return typeof data?.error === 'string' && /^[a-z0-9_]{1,60}$/.test(data.error) ? data.error : 'unreachable';
}
