import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useClient } from 'urql';
import { DownloadIcon } from '../../components/icons.tsx';
import { AuditEventsDocument } from '../../graphql/gen/lazy-documents.ts';
import { requestOnce } from '../../graphql/request.ts';
import { saveFile } from '../../lib/save-file.ts';
import { readAll, toCsv, toJson } from './audit-export.ts';
import { type AuditView, viewVariables } from './audit-view.ts';

const FORMATS = {
  csv: { name: 'CSV', type: 'text/csv', write: toCsv },
  json: { name: 'JSON', type: 'application/json', write: toJson },
} as const;
type Format = keyof typeof FORMATS;

const EXPORT_TIMEOUT_MS = 120_000;

/** Buttons that export all audit events that match the filters, not only the shown page. */
export function AuditExport({ view }: { view: AuditView }) {
  const client = useClient();
  const [exporting, setExporting] = useState<Format | null>(null);
  const [message, setMessage] = useState('');
  const save = async (format: Format): Promise<void> => {
    setExporting(format);
    setMessage('');
    const signal = AbortSignal.timeout(EXPORT_TIMEOUT_MS);
    try {
      const { events, total } = await readAll(
        viewVariables(view, Date.now()),
        async (page) => (await requestOnce(client, AuditEventsDocument, page, signal)).auditEvents,
      );
      const { type, write } = FORMATS[format];
      saveFile(write(events), `tarsy-audit-${new Date().toISOString().slice(0, 10)}.${format}`, type);
      if (events.length < total)
        setMessage(
          `Exported the newest ${events.length.toLocaleString('en')} events. Choose a shorter period to export older ones.`,
        );
    } catch {
      setMessage('Export failed. Try again.');
    }
    setExporting(null);
  };
  return (
    <>
      <Box role="status">{message}</Box>
      {(Object.keys(FORMATS) as Format[]).map((format) => (
        <Button
          key={format}
          color="inherit"
          startIcon={<DownloadIcon />}
          loading={exporting === format}
          disabled={exporting !== null}
          onClick={() => void save(format)}
        >
          {FORMATS[format].name}
        </Button>
      ))}
    </>
  );
}
