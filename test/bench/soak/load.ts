import { setTimeout as delay } from 'node:timers/promises';
import { apiClient } from '../../helpers/api.ts';
import { sendDelivery } from '../../helpers/deliveries.ts';
import { openConnection } from '../fanout/connection.ts';
import { ALERTS_EACH, OPTIONS, sizeOf } from './options.ts';
import type { Replaceable } from './parts.ts';

/** Observations of the clients of an hour. */
export interface Seen {
  /** Fingerprints of all alerts whose delivery was accepted. */
  alerts: Set<string>;
  /** Times of accepted deliveries, their repetitions included, and of reads (ms). */
  deliveryMs: number[];
  readMs: number[];
  /** Attempts that failed and were repeated. */
  repeated: number;
  /** Watchers that left, and the first contradiction that one of them saw. */
  watched: number;
  problem: string | null;
}

/** Time after which a client repeats a failed request, and after which it gives a request up (ms). */
const AGAIN_MS = 1_000;
const ANSWER_MS = 10_000;
const LIST = `query { sessions(first: 25) { totalCount edges { node { id status title } } } }`;
const SEARCH = `query { sessions(first: 25, filter: { search: "disk web" }) { edges { node { id } } } }`;
const EVENTS = `subscription ($id: ID!, $after: String) { sessionEvents(sessionId: $id, after: $after) {
  __typename cursor ... on TimelineEventCompleted { timelineEvent { id content } } } }`;

/** Runs the clients of one hour, and resolves when all have left. @param hour number of the hour, from 1 */
export async function runClients(apis: readonly Replaceable[], hour: number): Promise<Seen> {
  const seen: Seen = {
    ...{ alerts: new Set(), deliveryMs: [], readMs: [], repeated: 0, watched: 0, problem: null },
  };
  const { hourS, alerts, watchers } = sizeOf(hour);
  const until = performance.now() + hourS * 1000;
  const clients = apis.map(({ url }) => apiClient(url!));
  const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;
  const known: string[] = [];

  async function send(number: number): Promise<void> {
    const body = deliveryOf(hour, number);
    const begun = performance.now();
    for (;;) {
      const answer = await withinLimit(sendDelivery(any(apis).url!, body)).catch(() => null);
      if (answer?.status === 202) {
        for (const { fingerprint } of body) seen.alerts.add(fingerprint);
        const { session } = answer;
        if (session) known.push(Buffer.from(`Session:${session}`).toString('base64'));
        break;
      }
      if (answer !== null && answer.status < 429) seen.problem ??= `a delivery was refused: ${answer.status}`;
      seen.repeated += 1;
      await delay(AGAIN_MS);
    }
    seen.deliveryMs.push(performance.now() - begun);
  }

  async function sendAll(): Promise<void> {
    const deliveries = Math.ceil(alerts / ALERTS_EACH);
    const sending: Promise<void>[] = [];
    for (let number = 0; number < deliveries; number += 1) {
      sending.push(send(number));
      await delay((hourS * 1000) / deliveries);
    }
    await Promise.all(sending);
  }

  async function readAll(): Promise<void> {
    while (performance.now() < until) {
      const begun = performance.now();
      const isDone = await withinLimit(any(clients).query(any([LIST, SEARCH]))).then(
        () => true,
        () => false,
      );
      if (isDone) seen.readMs.push(performance.now() - begun);
      else seen.repeated += 1;
      await delay(250);
    }
  }

  async function silence(): Promise<void> {
    const input = {
      ...{ matchers: ['service="quiet"'], comment: 'Maintenance' },
      endsAt: new Date(Date.now() + hourS * 300).toISOString(),
    };
    const document = `mutation ($input: CreateSilenceInput!) { createSilence(input: $input) {
      ... on CreateSilenceSuccess { silence { id } } ... on Error { code message } } }`;
    await clients[0]!.query(document, { input }).catch(() => {});
  }

  async function watchAll(): Promise<void> {
    const watching: Promise<void>[] = [];
    for (let n = 0; n < watchers && performance.now() < until; n += 1) {
      await delay((hourS * 1000) / watchers);
      const id = known.at(-1 - Math.floor(Math.random() * 5));
      if (id !== undefined) watching.push(watch(any(apis), id, Math.random() * OPTIONS.hourS * 200));
    }
    await Promise.all(watching);
    seen.watched += watching.length;
  }

  /** Follows a session for some time, also over lost connections, and reports a gap in its events. */
  function watch({ url }: Replaceable, id: string, forMs: number): Promise<void> {
    const state = { cursor: null as string | null, seq: 0 };
    const { promise, resolve } = Promise.withResolvers<void>();
    let leave = () => {};
    let hasLeft = false;
    const open = (): void => {
      if (hasLeft) return;
      const connection = openConnection({
        port: Number(new URL(url!).port),
        onOpen: ({ send: write }) => write('{"type":"connection_init"}'),
        onText(bytes) {
          const message = JSON.parse(bytes.toString()) as LiveMessage;
          if (message.type === 'connection_ack')
            connection.send(
              JSON.stringify({
                ...{ id: '1', type: 'subscribe' },
                payload: { query: EVENTS, variables: { id, after: state.cursor } },
              }),
            );
          const item = message.payload?.data?.sessionEvents;
          if (!item?.cursor || item.__typename === 'CaughtUp') return;
          const seq = Number(Buffer.from(item.cursor, 'base64url').toString().slice(3));
          if (seq !== state.seq + 1) seen.problem ??= `event ${seq} of ${id} after ${state.seq}`;
          Object.assign(state, { seq, cursor: item.cursor });
        },
        onClose: () => void setTimeout(open, AGAIN_MS),
      });
      leave = () => connection.destroy();
    };
    open();
    setTimeout(() => {
      hasLeft = true;
      leave();
      resolve();
    }, forMs);
    return promise;
  }

  await Promise.all([silence(), sendAll(), readAll(), watchAll()]);
  return seen;
}

interface LiveMessage {
  type: string;
  payload?: { data?: { sessionEvents: { __typename: string; cursor: string | null } } };
}

/**
 * Builds a delivery of one group. The groups of an hour are as many as its sessions; further deliveries repeat their
 * alerts or report more of them. Each tenth group is of the silenced service.
 */
function deliveryOf(hour: number, number: number) {
  const { sessions } = sizeOf(hour);
  const group = number % sessions;
  const service = group % 10 === 9 ? 'quiet' : 'shop';
  const severity = group % 2 === 0 ? 'critical' : 'warning';
  return Array.from({ length: ALERTS_EACH }, (_, n) => ({
    ...{ title: `Disk full on web-${group}`, severity, group: `g-${hour}-${group}` },
    fingerprint: `f-${hour}-${group}-${Math.floor(number / sessions / 2)}-${n}`,
    labels: { host: `web-${group}-${n}`, service },
  }));
}

function withinLimit<T>(work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    delay(ANSWER_MS, undefined, { ref: false }).then((): never => {
      throw new Error('no answer');
    }),
  ]);
}
