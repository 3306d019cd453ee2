import { sanitize } from '../common/printable.ts';
import { request } from './api.ts';
import type { Command } from './command.ts';
import { CliError, EXIT, usageError } from './errors.ts';
import { EXPORT, EXPORT_FORMATS } from './help.ts';

export const SESSION_EXPORT = /* GraphQL */ `
  query SessionExport($id: ID!, $format: ExportFormat!) { session(id: $id) { export(format: $format) } }
`;

export const exportCommand: Command = {
  help: EXPORT,
  requiredScopes: 'READ',
  async run({ values, positionals }, server) {
    const [id, ...more] = positionals;
    const format = EXPORT_FORMATS.find((one) => one === (values.format ?? 'markdown'));
    if (id === undefined || more.length > 0) throw usageError('Give the id of one session.');
    if (!format) throw usageError(`--format must be one of ${EXPORT_FORMATS.join(', ')}.`);
    const { session } = await request<{ session: { export: string } | null }>(server, {
      document: SESSION_EXPORT,
      variables: { id, format: format.toUpperCase() },
    });
    if (!session) throw new CliError(EXIT.USAGE, 'NOT_FOUND', `There is no session ${id}.`);
    // JSON needs no sanitizing, because control characters are already escaped.
    return format === 'json' ? session.export : sanitize(session.export);
  },
};
