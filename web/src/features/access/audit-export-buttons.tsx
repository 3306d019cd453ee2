import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useClient } from 'urql';
import { DownloadIcon } from '../../components/icons.tsx';
import { AuditEventsDocument } from '../../graphql/gen/documents.ts';
import { requestOnce } from '../../graphql/request.ts';
import { saveFile } from '../../lib/save-file.ts';
import { readAll, toCsv, toJson } from './audit-export.ts';
import { type AuditView, viewVariables } from './audit-view.ts';

const FORMS = {
  csv: { name: 'CSV', type: 'text/csv', write: toCsv },
  json: { name: 'JSON', type: 'application/json', write: toJson },
} as const;
type Form = keyof typeof FORMS;

const EXPORT_MS = 120_000;

/** Exports all changes that match the filters, not only the shown page. */
export function AuditExport({ view }: { view: AuditView }) {
  const client = useClient();
  const [reading, setReading] = useState<Form | null>(null);
  const [said, setSaid] = useState('');
  const save = async (form: Form): Promise<void> => {
    setReading(form);
    setSaid('');
    const signal = AbortSignal.timeout(EXPORT_MS);
    try {
      const { events, total } = await readAll(
        viewVariables(view, Date.now()),
        async (page) => (await requestOnce(client, AuditEventsDocument, page, signal)).auditEvents,
      );
      const { type, write } = FORMS[form];
      saveFile(write(events), `tarsy-audit-${new Date().toISOString().slice(0, 10)}.${form}`, type);
      if (events.length < total)
        setSaid(
          `The file holds the newest ${events.length.toLocaleString('en')}; narrow the time for others.`,
        );
    } catch {
      setSaid('Not exported. Try again.');
    }
    setReading(null);
  };
  return (
    <>
      <Box role="status">{said}</Box>
      {(Object.keys(FORMS) as Form[]).map((form) => (
        <Button
          key={form}
          color="inherit"
          startIcon={<DownloadIcon />}
          loading={reading === form}
          disabled={reading !== null}
          onClick={() => void save(form)}
        >
          {FORMS[form].name}
        </Button>
      ))}
    </>
  );
}
