import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { SlackInbox, Taken } from '../slack/inbox.ts';
import { readBody } from '../slack/payload.ts';
import { signatureProblem } from '../slack/signature.ts';
import { refuse } from './errors.ts';
import { BodyRefusedError, createBodyReader } from './read-body.ts';
import type { Refusal } from './request-checks.ts';
import { MAX_SLACK_BYTES, MAX_SLACK_BYTES_HELD, SLACK_READ_MS } from './tunables.ts';

/** The address that Slack calls for events, clicks and commands. */
export const SLACK_PATH = '/slack/events';

export interface SlackEndpoint {
  inbox: SlackInbox;
  signingSecret: string;
  reaction: string | null;
}

const BUSY: Refusal = {
  status: 503,
  code: 'BUSY',
  message: 'The request cannot be stored now. Send it again later.',
};

const REFUSED: Readonly<Record<Extract<Taken, { kind: 'refused' }>['why'], Refusal>> = {
  MALFORMED: { status: 400, code: 'BAD_REQUEST', message: 'The request is no payload of Slack.' },
  OTHER_WORKSPACE: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'The request is from a workspace in which this app is not installed.',
  },
  UNAVAILABLE: BUSY,
};

/** Creates the handler of Slack’s requests. The signature of the raw body authenticates them. */
export function createSlackHandler({ inbox, signingSecret, reaction }: SlackEndpoint, logger: Logger) {
  const read = createBodyReader({
    maxBytes: MAX_SLACK_BYTES,
    maxHeldBytes: MAX_SLACK_BYTES_HELD,
    maxMs: SLACK_READ_MS,
  });
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method !== 'POST') {
      res.setHeader('Allow', 'POST');
      return refuse(res, 405, 'METHOD_NOT_ALLOWED', 'Slack sends requests with POST.');
    }
    const body = await read(req).catch((error: unknown) => {
      if (!(error instanceof BodyRefusedError)) throw error;
      return error;
    });
    if (body instanceof BodyRefusedError) {
      res.setHeader('Connection', 'close');
      const { status, code, message } = body.why === 'TOO_LARGE' ? TOO_LARGE : BUSY;
      return refuse(res, status, code, message);
    }
    const timestamp = headerOf(req, 'x-slack-request-timestamp');
    const signature = headerOf(req, 'x-slack-signature');
    const problem = signatureProblem({ body, timestamp, signature }, signingSecret, new Date());
    if (problem !== null) {
      logger.warn({ why: problem, peer: req.socket.remoteAddress }, 'slack request refused');
      return refuse(res, 401, 'UNAUTHENTICATED', `Not authenticated: ${problem}.`);
    }
    const type = headerOf(req, 'content-type') ?? '';
    const taken = await inbox.take(() => readBody(body.toString('utf8'), type, reaction));
    if (taken.kind === 'refused') {
      const { status, code, message } = REFUSED[taken.why];
      logger.warn({ why: taken.why }, 'slack request refused');
      return refuse(res, status, code, message);
    }
    answer(res, taken);
  };
}

const TOO_LARGE: Refusal = {
  status: 413,
  code: 'DELIVERY_TOO_LARGE',
  message: `The request has more than ${MAX_SLACK_BYTES} bytes.`,
};

function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function answer(res: ServerResponse, taken: Exclude<Taken, { kind: 'refused' }>): void {
  res.setHeader('Cache-Control', 'no-store');
  if (taken.kind === 'challenge') {
    res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(taken.challenge);
    return;
  }
  if (taken.reply === null) return void res.writeHead(200).end();
  const reply = { response_type: 'ephemeral', text: taken.reply };
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(reply));
}
