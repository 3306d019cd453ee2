import type { Command } from './cli/command.ts';
import { openOutgoing } from './outgoing/open.ts';
import { endWithoutReader, reportFailure } from './start/failure.ts';
import { leaveSoon } from './start/leave.ts';

/** Commands that refuse arguments, because an operator who passes one expects it to have an effect. */
const WITHOUT_ARGUMENTS = new Set(['start', 'api', 'worker', 'migrate', 'config check']);

/** Runs one command, loading only the modules it needs. @returns the exit code */
async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  const words = command === 'config' ? 2 : 1;
  const name = argv.slice(0, words).join(' ');
  if (WITHOUT_ARGUMENTS.has(name) && argv.length > words) {
    if (isHelp(argv[words])) return help(name);
    return wrongUsage(`${name} takes no arguments; environment variables configure it.`);
  }
  switch (command) {
    case 'start':
      return (await import('./start/all.ts')).startAll(process.env);
    case 'api':
    case 'worker':
      return (await import('./start/part.ts')).startPart(command, process.env);
    case 'migrate':
      return (await import('./start/part.ts')).migrateOnly(process.env);
    case 'config':
      if (rest[0] !== 'check') return wrongUsage('The only command of config is: config check');
      return checkConfig();
    case 'intake':
      if (rest[0] !== 'try') return wrongUsage('The only command of intake is: intake try <source> <file|->');
      return tryDelivery(rest.slice(1));
    case 'token':
      return (await import('./start/token.ts')).tokenCommand(rest, process.env, process);
    case 'alert':
      return (await import('./cli/alert.ts')).runAlertCommand(rest, process);
    case 'approvals':
      return ask((await import('./cli/approvals.ts')).approvalsCommand, rest);
    case 'export':
      return ask((await import('./cli/export.ts')).exportCommand, rest);
    case 'case':
      return ask((await import('./cli/cases.ts')).caseCommand, rest);
    case 'import':
      return (await import('./cli/import-cases.ts')).runImportCommand(rest, process);
    case 'replay':
      return (await import('./cli/replay/command.ts')).runReplayCommand(rest, process);
    case 'scenario':
      return (await import('./cli/scenario.ts')).runScenarioCommand(rest, process);
    default:
      if (command === 'help' || isHelp(command)) return help();
      return wrongUsage(command === undefined ? 'No command given.' : `Unknown command: ${command}`);
  }
}

async function ask(command: Command, args: readonly string[]): Promise<number> {
  const { runCommand } = await import('./cli/command.ts');
  return runCommand(command, args, process);
}

async function checkConfig(): Promise<number> {
  const { readEnvironment } = await import('./config/env.ts');
  const { configCheck } = await import('./config/check.ts');
  const dir = readEnvironment(process.env).configDir;
  return configCheck({ dir, env: process.env, out: process.stdout });
}

async function tryDelivery(args: readonly string[]): Promise<number> {
  const { readEnvironment } = await import('./config/env.ts');
  const { tryDelivery } = await import('./intake/try-delivery.ts');
  const { configDir } = readEnvironment(process.env);
  return tryDelivery(args, { configDir, env: process.env, io: process });
}

function isHelp(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

/** Prints the help of a command, or the list of commands. */
async function help(name?: string): Promise<number> {
  const { COMMANDS, usage } = await import('./commands.ts');
  const { renderHelp } = await import('./common/command-help.ts');
  const command = name === undefined ? undefined : COMMANDS[name];
  process.stdout.write(command === undefined ? usage() : renderHelp(command));
  return 0;
}

async function wrongUsage(problem: string): Promise<number> {
  const { usage } = await import('./commands.ts');
  process.stderr.write(`${problem}\n\n${usage()}`);
  return 2;
}

/** Commands that run until stopped. Others have no exit deadline, because a slow reader may delay their output. */
const SERVES = new Set(['start', 'api', 'worker']);

if (!SERVES.has(process.argv[2] ?? '')) endWithoutReader();
try {
  for (const warning of await openOutgoing(process.env)) process.stderr.write(`Warning: ${warning}\n`);
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error, process.stderr);
}
if (SERVES.has(process.argv[2] ?? '')) leaveSoon();
