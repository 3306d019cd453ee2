import { type EXPORT_FORMATS, exportSession } from '../../engine/export/export.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { described } from '../described.ts';
import { SessionRef } from './refs.ts';

const ExportFormatEnum = builder.enumType('ExportFormat', {
  description: 'What a session can be written as.',
  values: described<typeof EXPORT_FORMATS>({
    MARKDOWN: 'Markdown: report with quotes, analysis, alert, tool calls, questions and review.',
    JSON: 'JSON: the same for programs, with results; docs/reports.md says its form.',
    POSTMORTEM:
      'Markdown: the draft of a postmortem, of what is stored: times, impact, causes with what proves them, follow-ups.',
  }),
});

builder.objectField(SessionRef, 'export', (t) =>
  t.string({
    extensions: costs(200), // all that is stored of it
    description:
      'It as one text, at most 4 MiB: the same session gives the same text. Texts of others lead nowhere in it: no links, images or HTML.',
    args: { format: t.arg({ type: ExportFormatEnum, required: true, description: 'What to write.' }) },
    resolve: async (session, { format }, { reads, dashboardUrl }) =>
      exportSession(await reads.sessionExport(session), format, dashboardUrl),
  }),
);
