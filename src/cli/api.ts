import { ALERT_TYPES, SUBMIT_ALERT, type SubmitRefusal, type SubmitResult } from './contract.ts';
import { CliError, EXIT } from './errors.ts';

/** Timeout of one HTTP request (ms). A submission takes the server one short transaction. */
const REQUEST_TIMEOUT_MS = 30_000;

const START_HINT =
  'Is TARSy running there? Start it with `npm start`, or name its address with --url or TARSY_URL.';

export interface Server {
  url: URL;
  token: string | null;
  /** Scopes that a token needs for the command, separated by commas. */
  requiredScopes: string;
}

interface GraphqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: { code?: unknown } }[];
}

export interface Operation {
  document: string;
  variables: Record<string, unknown>;
  signal?: AbortSignal;
}

/** Sends one operation and returns its data. @throws CliError or the signal's reason */
export async function request<T>(server: Server, operation: Operation): Promise<T> {
  const { url, token } = server;
  const { document, variables, signal } = operation;
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  let status: number;
  let answer: GraphqlAnswer | null;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json',
        ...authorization(token),
      },
      body: JSON.stringify({ query: document, variables }),
      signal: AbortSignal.any(signal ? [signal, timeout] : [timeout]),
      redirect: 'manual', // not followed, because it mostly leads to a sign-in page
    });
    status = response.status;
    answer = parseAnswer(await response.text());
  } catch (error) {
    signal?.throwIfAborted();
    const reason = timeout.aborted ? `no answer for ${REQUEST_TIMEOUT_MS / 1_000} s` : describeFailure(error);
    throw new CliError(EXIT.UNREACHABLE, 'UNREACHABLE', `Cannot reach ${url.href}: ${reason}`, START_HINT);
  }
  if (answer === null) {
    // A proxy in front of the server may require a sign-in; it then answers with 401, 403 or a redirect.
    if (status === 401 || status === 403 || (status >= 300 && status < 400)) {
      const message = `${url.href} asks to sign in (HTTP ${status}).`;
      throw new CliError(EXIT.USAGE, 'UNAUTHENTICATED', message, tokenHint(server));
    }
    const message = `${url.href} is not a TARSy server (HTTP ${status}).`;
    throw new CliError(EXIT.UNREACHABLE, 'UNREACHABLE', message, START_HINT);
  }
  const [error] = answer.errors ?? [];
  if (error === undefined && answer.data) return answer.data as T;
  const code = typeof error?.extensions?.code === 'string' ? error.extensions.code : `HTTP_${status}`;
  const isServerFault = status >= 500 || code === 'INTERNAL_SERVER_ERROR';
  const message = error?.message ?? 'The server answered with neither data nor an error.';
  throw new CliError(isServerFault ? EXIT.UNREACHABLE : EXIT.USAGE, code, message, hintForCode(code, server));
}

/** Submits an alert. @returns the session's id and notes for the user @throws CliError or the signal's reason */
export async function submitAlert(
  server: Server,
  input: { data: string; alertType: string | null; runbookUrl: string | null },
  signal: AbortSignal,
): Promise<{ sessionId: string; notes: string[] }> {
  const operation = { document: SUBMIT_ALERT, variables: { input }, signal };
  const { submitAlert: result } = await request<{ submitAlert: SubmitResult }>(server, operation);
  if ('session' in result) return { sessionId: result.session.id, notes: result.notes };
  const later = result.__typename === 'ShuttingDownError' || result.__typename === 'TooManyAlertsError';
  const exitCode = later ? EXIT.UNREACHABLE : EXIT.USAGE;
  throw new CliError(exitCode, result.code, result.message, await hintFor(result, server, signal));
}

async function hintFor(refusal: SubmitRefusal, server: Server, signal: AbortSignal): Promise<string | null> {
  const { field, maxBytes } = refusal;
  if (refusal.code === 'FORBIDDEN') return tokenHint(server);
  if (refusal.code === 'SHUTTING_DOWN') return 'Submit it again in a few seconds.';
  if (refusal.code === 'ALERT_TOO_LARGE') {
    return `Send the part that matters, for example: tail -c ${maxBytes ?? 0} FILE | npm run alert`;
  }
  if (field?.includes('runbookUrl')) return 'Give another URL with --runbook, or leave it out.';
  if (!field?.includes('alertType')) return null;
  try {
    const operation = { document: ALERT_TYPES, variables: {}, signal };
    const { alertTypes } = await request<{ alertTypes: { name: string }[] }>(server, operation);
    return `Alert types of this server: ${alertTypes.map(({ name }) => name).join(', ')}.`;
  } catch {
    return 'Give another alert type with --type, or leave it out.';
  }
}

export function authorization(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export function hintForCode(code: string, server: Server): string | null {
  return code === 'UNAUTHENTICATED' || code === 'FORBIDDEN' ? tokenHint(server) : null;
}

function tokenHint({ token, requiredScopes: scopes }: Server): string {
  const make = `Create one on the server: npm run token -- create <name> --scopes ${scopes}; or on the dashboard, under System → API tokens.`;
  if (token === null)
    return `Set TARSY_TOKEN to a token, and give the address of the server itself, not of a proxy. ${make}`;
  return `TARSY_TOKEN must be a valid token with ${scopes.replace(',', ' and ')}. ${make}`;
}

function parseAnswer(text: string): GraphqlAnswer | null {
  try {
    const value: unknown = JSON.parse(text);
    const isAnswer = typeof value === 'object' && value !== null && ('data' in value || 'errors' in value);
    return isAnswer ? (value as GraphqlAnswer) : null;
  } catch {
    return null;
  }
}

/** Returns the reason of a failed connection, which is in the `cause` of fetch's error. */
function describeFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  // If several addresses were tried, the error has a code and an empty message.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
