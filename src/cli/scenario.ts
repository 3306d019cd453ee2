import { join, resolve } from 'node:path';
import { z } from 'zod';
import { renderHelp } from '../common/command-help.ts';
import { sanitize, sanitizeLine } from '../common/printable.ts';
import { type FollowIo, followSession, sessionUrl } from './alert.ts';
import { request, type Server } from './api.ts';
import { parseCommandLine, parseEndpoint, parseToken } from './args.ts';
import { importCase, readCases } from './cases.ts';
import { type CaseResult, REPLAY, REPLAY_CASE, type ReplayState } from './contract-cases.ts';
import { CliError, EXIT, usageError } from './errors.ts';
import { DEFAULT_URL } from './help.ts';
import { SCENARIO } from './help-cases.ts';
import { type Output, openOutput } from './output.ts';
import { aligned } from './replay/summary.ts';
import { createStyle, type Style } from './style.ts';
import { createTextView } from './view.ts';
import { WATCH_LIMITS } from './watch.ts';

/** The folder of the scenarios that ship with the program. */
const SCENARIOS = resolve(import.meta.dirname, '../../deploy/scenarios');

/** Plays a scenario and returns the exit status (see SCENARIO). SIGINT ends the command; the replay continues. */
export async function runScenarioCommand(argv: readonly string[], io: FollowIo): Promise<number> {
  const out = openOutput(io.stdout);
  const err = openOutput(io.stderr);
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const { values, positionals } = parseCommandLine(SCENARIO, argv);
    const [name, ...more] = positionals;
    if (more.length > 0) throw usageError('Name one scenario.');
    if (values.help === true || name === undefined) {
      await out.write(values.help === true ? renderHelp(SCENARIO) : await listOfScenarios());
      return EXIT.COMPLETED;
    }
    const server: Server = {
      url: parseEndpoint(values.url ?? (io.env.TARSY_URL || DEFAULT_URL)),
      token: parseToken(io.env.TARSY_TOKEN),
      requiredScopes: 'READ,REVIEW',
    };
    const signal = AbortSignal.any([interrupt.signal, out.closed]);
    const style = createStyle(io.stdout.isTTY === true, io.env);
    return await play({ name, provider: values.provider ?? null }, { server, out, err, signal, style });
  } catch (error) {
    if (interrupt.signal.aborted) {
      await err.write('\nInterrupted. The replay continues on the server.\n');
      return EXIT.INTERRUPTED;
    }
    if (out.closed.aborted) return EXIT.PIPE_CLOSED;
    if (!(error instanceof CliError)) throw error;
    const hint = error.code === 'USAGE' ? `See \`${SCENARIO.command} -- --help\`.` : error.hint;
    await err.write(
      `${sanitizeLine(error.code)}: ${sanitize(error.message)}\n${hint === null ? '' : `${hint}\n`}`,
    );
    return error.exitCode;
  } finally {
    process.off('SIGINT', onInterrupt);
    await Promise.all([out.flush(), err.flush()]);
    out.release();
    err.release();
  }
}

async function listOfScenarios(): Promise<string> {
  const scenarios = await readCases(SCENARIOS);
  const rows = scenarios
    .filter(({ name }) => !name.endsWith('-healthy'))
    .map(({ name, alert }) => [name, sanitizeLine(summaryOf(alert))]);
  return `${aligned(rows).join('\n')}\n\nPlay one: ${SCENARIO.command} -- ${rows[0]![0]}\nIts healthy twin: ${SCENARIO.command} -- ${rows[0]![0]}-healthy\n`;
}

const fromAlertmanager = z.object({
  alerts: z.tuple([z.object({ annotations: z.object({ summary: z.string() }) })]),
});

/** Returns the summary of an alert: that of Alertmanager's document, else the first line. */
function summaryOf(alert: string): string {
  const [line = ''] = alert.split('\n', 1);
  if (!alert.startsWith('{')) return line;
  const parsed = fromAlertmanager.safeParse(JSON.parse(alert));
  return parsed.success ? parsed.data.alerts[0].annotations.summary : line;
}

interface Around {
  server: Server;
  out: Output;
  err: Output;
  signal: AbortSignal;
  style: Style;
}

async function play(
  { name, provider }: { name: string; provider: string | null },
  { server, out, err, signal, style }: Around,
): Promise<number> {
  const scenario = (await readCases(SCENARIOS)).find((one) => one.name === name);
  if (scenario === undefined)
    throw usageError(`There is no scenario ${name}. Without a name the command lists them.`);
  const { id: caseId } = await importCase(server, scenario);
  const { replayCase } = await request<{ replayCase: CaseResult }>(server, {
    document: REPLAY_CASE,
    variables: { input: { caseId, llmProvider: provider, runs: 1 } },
    signal,
  });
  const [started] = replayCase.replays ?? [];
  if (!started?.session) throw new CliError(EXIT.USAGE, replayCase.code ?? '', replayCase.message ?? '');
  const sessionId = started.session.id;
  await out.write(`${style.dim(`Plays ${name}: ${sessionUrl(server.url, sessionId)}`)}\n`);
  const view = createTextView(out, style);
  const exitCode = await followSession({ server, sessionId, view, out, err, signal, limits: WATCH_LIMITS });
  const { replay } = await request<{ replay: ReplayState | null }>(server, {
    document: REPLAY,
    variables: { id: started.id },
    signal,
  });
  if (replay === null) return exitCode;
  await out.write(
    `${describeChecks(replay, style)}An expert's checklist: ${join(SCENARIOS, name, 'case.yaml')}\n`,
  );
  if (exitCode !== EXIT.COMPLETED) return exitCode;
  return replay.passed === null ? EXIT.INCONCLUSIVE : replay.passed ? EXIT.COMPLETED : EXIT.FAILED;
}

function describeChecks({ passed, confidentlyWrong, checks }: ReplayState, style: Style): string {
  const result = passed === null ? 'Inconclusive' : passed ? 'As expected' : 'Not as expected';
  const lines = checks.map((check) => {
    const line = `  ${check.passed ? '✓' : '✗'} ${check.name}: ${sanitizeLine(check.detail)}`;
    return check.passed ? line : style.red(line);
  });
  const wrong = confidentlyWrong ? [style.red('  Confidently wrong: the report was sure.')] : [];
  return `${[style.bold(`── ${result}`), ...lines, ...wrong].join('\n')}\n`;
}
