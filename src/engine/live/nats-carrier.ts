import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CHANNELS } from './event-log.ts';
import {
  type NatsConnection,
  type NatsTarget,
  type NatsTiming,
  openNatsConnection,
} from './nats-connection.ts';
import type { Notice } from './notices.ts';

/** Timing of probes (ms). Short, because live pages get nothing until silence is noticed. */
const NATS_TIMING: NatsTiming = { probeMs: 1_000, deadlineMs: 2_500 };

/** Waits between attempts to connect (ms). The last value repeats. */
const NATS_RETRY_MS = [100, 500, 1000, 2000] as const;

/**
 * Time for which a request for NOTIFY counts (ms). Processes repeat the request every LISTEN_TIMING.probeMs, so that two of
 * them may be lost.
 */
const REQUEST_LIFETIME_MS = 17_000;

/** Channels that NATS carries. Cancellations stay in PostgreSQL, where only writers of the database can send them. */
const CARRIED: ReadonlySet<string> = new Set([CHANNELS.event, CHANNELS.chunk]);

/** Carries notices over NATS while NATS works. NOTIFY carries them otherwise. */
export interface NatsCarrier {
  /**
   * Sends notices over NATS. `carried`: the number that NATS has confirmed. `rest`: those that NOTIFY must carry, which
   * are all others, and all notices while a process may hear NOTIFY only.
   */
  send(notices: readonly Notice[]): Promise<{ carried: number; rest: readonly Notice[] }>;
  /** Why notices do not arrive over NATS; `null` while they do. */
  problem(): string | null;
  /** Reports that a process asked for NOTIFY, because notices do not reach it over NATS. */
  requested(): void;
  /** Reports whether this process hears such requests. */
  hearsRequests(isHearing: boolean): void;
  /** Starts to connect. @param listener.onNotice `null` receives none */
  start(listener: {
    onNotice: ((channel: string, payload: string) => void) | null;
    onChange: () => void;
  }): void;
  close(): Promise<void>;
}

/** Times that replace the usual ones. `requestLifetimeMs`: the time for which a request for NOTIFY counts. */
export type CarrierTiming = Partial<NatsTiming> & { requestLifetimeMs?: number };

export function createNatsCarrier(options: {
  target: NatsTarget;
  logger: Logger;
  timing?: CarrierTiming;
}): NatsCarrier {
  const { target, logger } = options;
  const { requestLifetimeMs = REQUEST_LIFETIME_MS, ...timing } = { ...NATS_TIMING, ...options.timing };
  const closing = new AbortController();
  const { signal } = closing;
  let connection: NatsConnection | null = null;
  let problem: string | null = 'not connected yet';
  let requestedAt = performance.now(); // a request before the start may count
  let isHearing = false;
  let kept = Promise.resolve();
  let onChange = () => {};

  async function keepConnected(onNotice: ((channel: string, payload: string) => void) | null): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        connection = await openNatsConnection(target, { ...timing, onNotice, signal });
        attempt = 0;
        report(null);
        if (!signal.aborted) report((await connection.lost).message);
      } catch (error) {
        report(error instanceof Error ? error.message : String(error));
      }
      // Not awaited, because a dead peer does not answer.
      connection
        ?.close()
        .catch((error: unknown) => logger.debug({ err: error }, 'NATS connection not closed'));
      connection = null;
      const wait = NATS_RETRY_MS[Math.min(attempt, NATS_RETRY_MS.length - 1)];
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  function report(reason: string | null): void {
    if (signal.aborted) return;
    const before = problem;
    problem = reason;
    if (reason === null) logger.info('NATS connected, it carries notices');
    else if (before === null || before === 'not connected yet')
      logger.warn({ reason }, 'NATS unavailable, PostgreSQL carries notices');
    else if (before !== reason) logger.debug({ reason }, 'NATS still unavailable');
    if ((before === null) !== (reason === null)) onChange();
  }

  const isRequested = () => !isHearing || performance.now() - requestedAt < requestLifetimeMs;

  return {
    async send(notices) {
      const current = connection;
      if (current === null || problem !== null) return { carried: 0, rest: notices };
      const isFitting = (notice: Notice) => CARRIED.has(notice.channel) && current.fits(notice);
      const fitting = notices.filter(isFitting);
      try {
        await current.publish(fitting);
      } catch (error) {
        logger.debug({ err: error, notices: notices.length }, 'notices not confirmed by NATS');
        return { carried: 0, rest: notices };
      }
      const rest = isRequested() ? notices : notices.filter((notice) => !isFitting(notice));
      return { carried: fitting.length, rest };
    },
    problem: () => problem,
    requested() {
      requestedAt = performance.now();
    },
    hearsRequests(hears) {
      isHearing = hears;
      requestedAt = performance.now(); // a request may have been missed until now
    },
    start(listener) {
      onChange = listener.onChange;
      const carried = (channel: string, payload: string) => {
        if (CARRIED.has(channel)) listener.onNotice?.(channel, payload);
      };
      kept = keepConnected(listener.onNotice && carried);
    },
    async close() {
      closing.abort();
      await connection?.close();
      await kept;
    },
  };
}
