import { ALERT, APPROVALS, EXPORT } from '../../../src/cli/help.ts';
import { CASE, CASE_IMPORT, REPLAY_HELP, SCENARIO } from '../../../src/cli/help-cases.ts';
import { type CommandHelp, optionsOf, usageLines } from '../../../src/common/command-help.ts';
import { INTAKE_TRY } from '../../../src/intake/try-help.ts';
import { API, CONFIG_CHECK, MIGRATE, START, TOKEN, WORKER } from '../../../src/start/help.ts';
import { DEPLOY } from '../../deploy/help.ts';
import { MODEL_LOCAL } from '../../model/help.ts';
import type { GeneratedFile } from '../config-schemas.ts';
import { renderPage, table } from './markdown.ts';

/** Commands by page, with the title of a new page. */
const PAGES: readonly (readonly [page: string, title: string, commands: readonly CommandHelp[]])[] = [
  ['cli.md', 'Commands', [START, API, WORKER, MIGRATE, CONFIG_CHECK]],
  ['cli-operators.md', 'Commands of operators', [INTAKE_TRY, TOKEN, DEPLOY, MODEL_LOCAL]],
  ['cli-clients.md', 'Commands that call a server', [ALERT, APPROVALS, EXPORT]],
  ['cli-cases.md', 'Commands about cases', [CASE, REPLAY_HELP, SCENARIO, CASE_IMPORT]],
];

/** Returns the pages of all commands. */
export function cliPages(): Promise<GeneratedFile[]> {
  return Promise.all(
    PAGES.map(([page, title, commands]) => renderPage(page, `# ${title}`, commands.map(describe))),
  );
}

function describe(help: CommandHelp): string {
  const { command, summary, details, environment, exits, examples } = help;
  const [hasOptions, variables] = [Object.keys(help.options).length > 0, Object.entries(environment)];
  return [
    `## ${command}`,
    `${summary}.`.replace('***', '`***`'),
    ...(help.usage.length > 0 ? [fenced('text', usageLines(help))] : []),
    ...details,
    ...(hasOptions ? [rows('option', optionsOf(help))] : []),
    ...(variables.length > 0 ? ['Variables:', list(variables)] : []),
    rows('exit status', Object.entries(exits)),
    ...(examples.length > 0 ? [fenced('sh', examples)] : []),
  ].join('\n\n');
}

function rows(title: string, entries: readonly (readonly [string, string])[]): string {
  return table(
    [title, 'meaning'],
    entries.map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}

function list(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([name, meaning]) => `- \`${name}\`: ${meaning}`).join('\n');
}

function fenced(language: string, lines: readonly string[]): string {
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``;
}
