import Button from '@mui/material/Button';
import { useState } from 'react';
import { useClient } from 'urql';
import { DownloadIcon } from '../../components/icons.tsx';
import { WholeTraceDocument } from '../../graphql/gen/lazy-documents.ts';
import { requestOnce } from '../../graphql/request.ts';
import { saveFile } from '../../lib/save-file.ts';

/** Downloads the whole trace as a JSON file. */
export function DownloadButton({ sessionId, fileName }: { sessionId: string; fileName: string }) {
  const [state, setState] = useState<'idle' | 'reading' | 'failed'>('idle');
  const client = useClient();
  const download = async (): Promise<void> => {
    setState('reading');
    try {
      const { session } = await requestOnce(
        client,
        WholeTraceDocument,
        { id: sessionId },
        AbortSignal.timeout(60_000),
      );
      saveFile(JSON.stringify(session, null, 2), fileName, 'application/json');
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  return (
    <Button
      color="inherit"
      startIcon={<DownloadIcon />}
      loading={state === 'reading'}
      onClick={() => void download()}
    >
      {state === 'failed' ? 'Download failed. Try again' : 'Download JSON'}
    </Button>
  );
}
