import { sanitize } from '../common/printable.ts';
import { request } from './api.ts';
import { DEFAULT_URL } from './args.ts';
import type { Command } from './command.ts';
import { CliError, EXIT, usageError } from './errors.ts';

const FORMATS = ['markdown', 'json', 'postmortem'] as const;

export const EXPORT_HELP = `Prints a session as a text on standard output.

  npm run --silent export -- ID [--format ${FORMATS.join('|')}]

ID is the session's id, as in the URL of its page.

Options
  --format FORMAT  default: markdown
  --url URL        address of the server (default: TARSY_URL, else ${DEFAULT_URL})

Environment
  TARSY_TOKEN      token with the scope READ, if the server requires one

Exit status
  0 done   2 wrong usage, or no such session   5 server unreachable
`;

export const SESSION_EXPORT = /* GraphQL */ `
  query SessionExport($id: ID!, $format: ExportFormat!) { session(id: $id) { export(format: $format) } }
`;

export const exportCommand: Command = {
  name: 'export',
  help: EXPORT_HELP,
  options: ['format'],
  requiredScopes: 'READ',
  async run({ values, positionals }, server) {
    const [id, ...more] = positionals;
    const format = FORMATS.find((one) => one === (values.format ?? 'markdown'));
    if (id === undefined || more.length > 0) throw usageError('Give the id of one session.');
    if (!format) throw usageError(`--format must be one of ${FORMATS.join(', ')}.`);
    const { session } = await request<{ session: { export: string } | null }>(server, {
      document: SESSION_EXPORT,
      variables: { id, format: format.toUpperCase() },
    });
    if (!session) throw new CliError(EXIT.USAGE, 'NOT_FOUND', `There is no session ${id}.`);
    // JSON needs no sanitizing, because control characters are already escaped.
    return format === 'json' ? session.export : sanitize(session.export);
  },
};
