import { parseCommand, renderHelp } from '../../src/common/command-help.ts';
import { watchParent } from '../../src/machine/parent-watch.ts';
import { reportFailure } from '../../src/start/failure.ts';
import { createLogger } from '../../src/start/logger.ts';
import { untilStopRequested } from '../../src/start/signals.ts';
import { DEFAULT_PORT, MODEL_LOCAL } from './help.ts';
import { startLocalModel } from './local-model.ts';
import { defaultsFile, type ModelAddress, providersFile } from './provider.ts';

/** Implements `npm run model:local`. @returns the exit code */
async function main(argv: readonly string[]): Promise<number> {
  const port = readPort(argv);
  if (port === null) {
    process.stdout.write(renderHelp(MODEL_LOCAL));
    return argv.includes('--help') ? 0 : 2;
  }
  const logger = createLogger({ logLevel: 'info', logFormat: 'pretty' });
  const stopping = new AbortController();
  const told = untilStopRequested(logger, watchParent).then(() => {
    stopping.abort();
    return null;
  });
  const model = await startLocalModel({ port, logger, signal: stopping.signal }).catch((error: unknown) => {
    if (stopping.signal.aborted) return null;
    throw error;
  });
  if (model === null) return 0;
  process.stdout.write(advice(model));
  const died = await Promise.race([model.exited, told]);
  await model.stop();
  if (died === null) return 0;
  process.stderr.write(`The local model ended: ${died}\n`);
  return 1;
}

/** Returns the port of the command line; `null` if the command line is invalid or asks for help. */
function readPort(argv: readonly string[]): number | null {
  try {
    const { values, positionals } = parseCommand(MODEL_LOCAL, argv);
    if (positionals.length > 0) return null;
    const port = Number(values.port ?? DEFAULT_PORT);
    return !values.help && Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : null;
  } catch {
    return null;
  }
}

function advice(address: ModelAddress): string {
  const indent = (text: string) => text.replaceAll(/^(?=.)/gm, '    ');
  return [
    '',
    `  ${address.model} is served at ${address.baseUrl}. Ctrl-C stops it.`,
    '  To run TARSy on it, put into deploy/config/llm-providers.yaml:',
    '',
    indent(providersFile(address)),
    '  and into deploy/config/tarsy.yaml:',
    '',
    indent(defaultsFile('langchain')),
    '  The model is very small: it shows that everything runs, not the quality of an investigation.',
    '',
  ].join('\n');
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error, process.stderr);
}
