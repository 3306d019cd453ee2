import { ALERT, APPROVALS, EXPORT } from './cli/help.ts';
import { CASE, CASE_IMPORT, REPLAY_HELP, SCENARIO } from './cli/help-cases.ts';
import type { CommandHelp } from './common/command-help.ts';
import { INTAKE_TRY } from './intake/try-help.ts';
import { API, CONFIG_CHECK, MIGRATE, START, TOKEN, WORKER } from './start/help.ts';

/** The commands of the program by their first words, such as `tarsy config check`. */
export const COMMANDS: Readonly<Record<string, CommandHelp>> = {
  start: START,
  api: API,
  worker: WORKER,
  migrate: MIGRATE,
  'config check': CONFIG_CHECK,
  'intake try': INTAKE_TRY,
  token: TOKEN,
  alert: ALERT,
  approvals: APPROVALS,
  export: EXPORT,
  case: CASE,
  import: CASE_IMPORT,
  replay: REPLAY_HELP,
  scenario: SCENARIO,
};

/** Returns the list of all commands. */
export function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: tarsy <command>\n\n${lines.join('\n')}\n\nHelp about a command: tarsy <command> --help\n`;
}
