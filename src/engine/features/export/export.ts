import { postmortem } from './postmortem.ts';
import { EXPORT_MAX_BYTES, sessionJson } from './session-json.ts';
import { sessionMarkdown } from './session-markdown.ts';
import type { ExportSource } from './source.ts';

export const EXPORT_FORMATS = ['MARKDOWN', 'JSON', 'POSTMORTEM'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Returns a session as text of at most `EXPORT_MAX_BYTES`. The same session always gives the same text. */
export function exportSession(source: ExportSource, format: ExportFormat, dashboardUrl: string): string {
  const page = `${dashboardUrl}/sessions/${source.session.id}`;
  if (format === 'JSON') return sessionJson(source, page);
  return cutToLimit(format === 'MARKDOWN' ? sessionMarkdown(source, page) : postmortem(source, page));
}

function cutToLimit(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= EXPORT_MAX_BYTES) return text;
  const kept = bytes.subarray(0, EXPORT_MAX_BYTES - CUT.length);
  return kept.subarray(0, kept.lastIndexOf('\n')).toString() + CUT;
}

const CUT = '\n\n(Cut: it is too long.)\n';
