import type { Readable, Writable } from 'node:stream';
import { renderHelp } from '../common/command-help.ts';
import { sanitize, sanitizeLine } from '../common/printable.ts';
import { request, type Server, submitAlert } from './api.ts';
import { type AlertOptions, parseAlertArgs } from './args.ts';
import { SESSION_OUTCOME, type SessionOutcome, type SessionState } from './contract.ts';
import { CliError, EXIT } from './errors.ts';
import { ALERT } from './help.ts';
import { readAlert } from './input.ts';
import { jsonLine, type Output, openOutput } from './output.ts';
import { createStyle } from './style.ts';
import { createJsonView, createTextView, type View } from './view.ts';
import { WATCH_LIMITS, type WatchLimits, watchSession } from './watch.ts';

/** Where a command that follows a session writes. */
export interface FollowIo {
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable;
  env: Readonly<Record<string, string | undefined>>;
}

export interface AlertIo extends FollowIo {
  stdin: Readable & { isTTY?: boolean };
}

const EXIT_BY_STATUS: ReadonlyMap<string, number> = new Map([
  ['COMPLETED', EXIT.COMPLETED],
  ['FAILED', EXIT.FAILED],
  ['CANCELLED', EXIT.CANCELLED],
  ['TIMED_OUT', EXIT.TIMED_OUT],
]);

interface Progress {
  options: AlertOptions | null;
  sessionId: string | null;
}

/**
 * Submits an alert, shows its investigation as it runs, and returns the exit status (see ALERT in help.ts). SIGINT ends the
 * command; the investigation continues.
 */
export async function runAlertCommand(
  argv: readonly string[],
  io: AlertIo,
  limits: WatchLimits = WATCH_LIMITS,
): Promise<number> {
  const out = openOutput(io.stdout);
  const err = openOutput(io.stderr);
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  const progress: Progress = { options: null, sessionId: null };
  try {
    progress.options = parseAlertArgs(argv, io.env, io.stdin.isTTY === true);
    if (progress.options === null) {
      await out.write(renderHelp(ALERT));
      return EXIT.COMPLETED;
    }
    const signal = AbortSignal.any([interrupt.signal, out.closed]);
    return await investigate(progress.options, progress, { io, out, err, signal, limits });
  } catch (error) {
    if (interrupt.signal.aborted) {
      await err.write(interruptNotice(progress));
      return EXIT.INTERRUPTED;
    }
    if (out.closed.aborted) return EXIT.PIPE_CLOSED;
    if (!(error instanceof CliError)) throw error;
    await reportError(error, progress, { argv, out, err });
    return error.exitCode;
  } finally {
    process.off('SIGINT', onInterrupt);
    await Promise.all([out.flush(), err.flush()]);
    out.release();
    err.release();
  }
}

interface RunContext {
  io: AlertIo;
  out: Output;
  err: Output;
  signal: AbortSignal;
  limits: WatchLimits;
}

async function investigate(options: AlertOptions, progress: Progress, around: RunContext): Promise<number> {
  const { io, out, err, signal, limits } = around;
  const { url, token, alertType, runbookUrl } = options;
  const server = { url, token, requiredScopes: 'READ,SUBMIT_ALERTS' };
  const data = await readAlert(options.source, io.stdin, signal);
  const { sessionId, notes } = await submitAlert(server, { data, alertType, runbookUrl }, signal);
  progress.sessionId = sessionId;
  for (const note of notes) await err.write(`${sanitizeLine(note)}\n`);

  const view = options.json
    ? createJsonView(out)
    : createTextView(out, createStyle(io.stdout.isTTY === true, io.env));
  await view.submitted(sessionUrl(url, sessionId));
  return followSession({ server, sessionId, view, out, err, signal, limits });
}

interface Followed {
  server: Server;
  sessionId: string;
  view: View;
  out: Output;
  err: Output;
  signal: AbortSignal;
  limits: WatchLimits;
}

/** Shows a session until its end. @returns the exit status */
export async function followSession(followed: Followed): Promise<number> {
  const { server, sessionId, view, out, err, signal, limits } = followed;
  const onLost = (reason: string) =>
    void err.write(`Connection lost (${sanitizeLine(reason)}), reconnecting …\n`);
  const ended = await watchToEnd(view, { server, sessionId, signal, limits, onLost });

  const outcome = await fetchOutcome(server, ended, signal);
  const exitCode = EXIT_BY_STATUS.get(ended.status) ?? EXIT.FAILED;
  await view.outcome(outcome, { sessionId, url: sessionUrl(server.url, sessionId), exitCode });
  return out.closed.aborted ? EXIT.PIPE_CLOSED : exitCode;
}

async function watchToEnd(view: View, options: Parameters<typeof watchSession>[0]): Promise<SessionState> {
  for await (const event of watchSession(options)) {
    await view.event(event);
    options.signal.throwIfAborted();
    if (event.__typename === 'SessionStatusChanged' && EXIT_BY_STATUS.has(event.session.status)) {
      return event.session;
    }
  }
  throw new Error('watchSession ended without an error');
}

/** Returns the session's outcome. If the server fails, only the last event's status and error are filled in. */
async function fetchOutcome(
  server: Server,
  ended: SessionState,
  signal: AbortSignal,
): Promise<SessionOutcome> {
  const fallback: SessionOutcome = {
    status: ended.status,
    errorMessage: ended.errorMessage,
    finalAnalysis: null,
    executiveSummary: null,
    executiveSummaryError: null,
    durationMs: null,
    report: null,
    tokenUsage: null,
  };
  try {
    const query = { document: SESSION_OUTCOME, variables: { id: ended.id }, signal };
    const { session } = await request<{ session: SessionOutcome | null }>(server, query);
    return session === null ? fallback : { ...session, status: ended.status };
  } catch (error) {
    if (error instanceof CliError) return fallback;
    throw error;
  }
}

function interruptNotice({ options, sessionId }: Progress): string {
  if (options === null || sessionId === null) {
    return '\nInterrupted. If the alert was already sent, its investigation continues.\n';
  }
  return `\nThe investigation continues: ${sessionUrl(options.url, sessionId)}\nTo cancel it:\n  ${cancelCommand(options, sessionId)}\n`;
}

async function reportError(
  error: CliError,
  { options, sessionId }: Progress,
  { argv, out, err }: { argv: readonly string[]; out: Output; err: Output },
): Promise<void> {
  const url = options !== null && sessionId !== null ? sessionUrl(options.url, sessionId) : null;
  const { code, message, hint, exitCode } = error;
  if (options?.json ?? argv.includes('--json')) {
    await out.write(jsonLine({ __typename: 'Error', code, message, hint, exitCode, sessionId, url }));
  }
  const lines = [`${sanitizeLine(code)}: ${sanitize(message)}`];
  if (hint !== null) lines.push(sanitize(hint));
  if (url !== null) lines.push(`The investigation may still be running: ${url}`);
  await err.write(`${lines.join('\n')}\n`);
}

/** Returns the key in a Relay global id (`Session:uuid` in base64); ids of another form are returned unchanged. */
function keyOf(sessionId: string): string {
  const decoded = Buffer.from(sessionId, 'base64').toString('latin1');
  return /^Session:([0-9a-f-]{36})$/.exec(decoded)?.[1] ?? sessionId;
}

/** Returns the URL of the session's page in the dashboard. */
export function sessionUrl(endpoint: URL, sessionId: string): string {
  return new URL(`sessions/${encodeURIComponent(keyOf(sessionId))}`, endpoint).href;
}

/** Returns a shell command that cancels the session. */
function cancelCommand({ url, token }: Pick<Server, 'url' | 'token'>, sessionId: string): string {
  const key = keyOf(sessionId).replace(/[^\w=+/:.-]/g, '');
  const body = JSON.stringify({ query: `mutation { cancelSession(id: "${key}") { __typename } }` });
  // Prints `$TARSY_TOKEN` instead of the token, because the terminal's output stays visible.
  const shown = token === null ? '' : ' -H "authorization: Bearer $TARSY_TOKEN"';
  return `curl -s '${url.href.replaceAll("'", '%27')}'${shown} -H 'content-type: application/json' -d '${body}'`;
}
