import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { ShuttingDownError, TooManyAlertsError } from '../common/errors.ts';
import type { SourceConfig } from '../config/types.ts';
import type { Delivery } from '../intake/delivery.ts';
import { DeliveryRefusedError } from '../intake/errors.ts';
import type { Intake, TakenDelivery } from '../intake/index.ts';
import { DELIVERY_MAX_BYTES } from '../intake/tunables.ts';
import { refuse } from './errors.ts';
import { BodyRefusedError, createBodyReader } from './read-body.ts';
import type { Refusal } from './request-checks.ts';
import { DELIVERY_READ_MS, MAX_DELIVERIES_AT_ONCE, MAX_DELIVERY_BYTES_HELD } from './tunables.ts';

/** Path `/webhooks/<source>`, with an optional suffix that client libraries of PagerDuty's Events API append. */
const PATH = /^\/webhooks\/([^/]+)(\/v2\/enqueue)?\/?$/;

/** Name of the path in traces. */
export const WEBHOOK_ROUTE = '/webhooks/:source';

export function isWebhook(path: string): boolean {
  return path.startsWith('/webhooks/');
}

interface Answer extends Refusal {
  retryAfterSeconds?: number;
}

/** Creates the handler of deliveries. Senders authenticate with the proof of their source, not as users. */
export function createWebhooks({ intake, logger }: { intake: Intake; logger: Logger }) {
  let underWay = 0;
  const readBody = createBodyReader({
    maxBytes: DELIVERY_MAX_BYTES,
    maxHeldBytes: MAX_DELIVERY_BYTES_HELD,
    maxMs: DELIVERY_READ_MS,
  });
  const takeAtOnce = async (source: SourceConfig, delivery: Delivery): Promise<TakenDelivery | null> => {
    if (underWay >= MAX_DELIVERIES_AT_ONCE) return null;
    underWay++;
    try {
      return await intake.take(source, delivery);
    } finally {
      underWay--;
    }
  };
  return async (req: IncomingMessage, res: ServerResponse, path: string): Promise<void> => {
    const [, name, events] = PATH.exec(path) ?? [];
    const source = name === undefined ? null : intake.sourceOf(name);
    if (source === null || (events !== undefined && source.type !== 'pagerduty-events'))
      return refuse(res, 404, 'NOT_FOUND', 'There is no alert source with this name.');
    if (source.type === 'cloudevents' && req.method === 'OPTIONS') return allowEvents(req, res);
    if (req.method !== 'POST' && req.method !== 'PUT') {
      res.setHeader('Allow', 'POST, PUT');
      return refuse(res, 405, 'METHOD_NOT_ALLOWED', 'Send deliveries with POST.');
    }
    try {
      const taken = await takeAtOnce(source, await deliveryOf(req, readBody));
      if (taken === null) return refuseDelivery(res, BUSY);
      answer(res, source, taken);
    } catch (error) {
      const refusal = refusalOf(error);
      if (error instanceof BodyRefusedError) res.setHeader('Connection', 'close');
      if (refusal === null) throw error; // answered with 503, so that the sender retries
      if (refusal.status !== 503) intake.reject(source, refusal);
      logger.warn({ source: source.name, code: refusal.code, why: refusal.message }, 'delivery refused');
      refuseDelivery(res, refusal);
    }
  };
}

const RETRY_AFTER_S = 5;

const BUSY: Answer = {
  status: 503,
  code: 'BUSY',
  message: 'Too many deliveries are in progress. Send this one again later.',
  retryAfterSeconds: RETRY_AFTER_S,
};

const REFUSED_BODIES: Record<BodyRefusedError['why'], Answer> = {
  TOO_LARGE: {
    status: 413,
    code: 'DELIVERY_TOO_LARGE',
    message: `The delivery has more than ${DELIVERY_MAX_BYTES} bytes. Configure the sender to send smaller groups.`,
  },
  TOO_SLOW: {
    status: 503,
    code: 'TOO_SLOW',
    message: `The delivery did not arrive within ${DELIVERY_READ_MS / 1000} s. Send it again.`,
    retryAfterSeconds: RETRY_AFTER_S,
  },
  TOO_MANY: BUSY,
};

async function deliveryOf(
  req: IncomingMessage,
  readBody: (req: IncomingMessage) => Promise<Buffer>,
): Promise<Delivery> {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new DeliveryRefusedError(
      'UNSUPPORTED_ENCODING',
      'Compressed deliveries are not supported. Send them uncompressed.',
    );
  return {
    body: await readBody(req),
    headers: Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)])),
    query: new URL(req.url ?? '/', 'http://localhost').searchParams,
  };
}

function refusalOf(error: unknown): Answer | null {
  if (error instanceof DeliveryRefusedError) {
    const { status, code, message } = error;
    return { status, code, message, ...(status === 503 && { retryAfterSeconds: RETRY_AFTER_S }) };
  }
  if (error instanceof BodyRefusedError) return REFUSED_BODIES[error.why];
  if (!(error instanceof TooManyAlertsError || error instanceof ShuttingDownError)) return null;
  const retryAfterSeconds = error instanceof TooManyAlertsError ? error.retryAfterSeconds : RETRY_AFTER_S;
  return { status: 503, code: error.code, message: error.message, retryAfterSeconds };
}

/** Answers that a delivery was not stored, with 503 because every sender retries after that status. */
export function refuseUnstored(res: ServerResponse): void {
  refuseDelivery(res, {
    status: 503,
    code: 'NOT_STORED',
    message: 'The delivery could not be stored. Send it again later.',
    retryAfterSeconds: RETRY_AFTER_S,
  });
}

function refuseDelivery(res: ServerResponse, { status, code, message, retryAfterSeconds }: Answer): void {
  if (retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(retryAfterSeconds));
  refuse(res, status, code, message);
}

function answer(res: ServerResponse, source: SourceConfig, taken: TakenDelivery): void {
  const body =
    source.type === 'pagerduty-events'
      ? { status: 'success', message: 'Event processed', dedup_key: taken.senderKey ?? '' }
      : deliveryAnswer(taken);
  res.writeHead(202, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(JSON.stringify(body));
}

function deliveryAnswer({ ignored, repeated, notes, groups }: TakenDelivery) {
  return {
    status: repeated ? 'repeated' : ignored === null ? 'accepted' : 'ignored',
    ...(ignored !== null && { message: ignored }),
    decisions: groups.map(({ groupId, outcome, reason, sessionId, alerts }) => ({
      group: groupId,
      alerts,
      outcome,
      reason,
      session: sessionId,
    })),
    ...(notes.length > 0 && { notes }),
  };
}

/** Answers the CloudEvents handshake, in which a sender asks for permission. Deliveries still need their proof. */
function allowEvents(req: IncomingMessage, res: ServerResponse): void {
  const origin = req.headers['webhook-request-origin'];
  if (typeof origin === 'string' && /^[\x21-\x7e]{1,253}$/.test(origin))
    res.setHeader('WebHook-Allowed-Origin', origin);
  res.setHeader('WebHook-Allowed-Rate', '*');
  res.setHeader('Allow', 'POST, OPTIONS');
  res.writeHead(200).end();
}
