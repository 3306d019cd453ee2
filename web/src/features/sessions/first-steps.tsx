import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useMutation } from 'urql';
import { ActionButton } from '../../components/action-button.tsx';
import { RulesNote } from '../../components/model-note.tsx';
import { EmptyNotice, refusalText } from '../../components/notice.tsx';
import { useSystemState } from '../../components/use-system-state.ts';
import { SubmitAlertDocument } from '../../graphql/gen/lazy-documents.ts';
import { sessionPath } from '../../lib/paths.ts';
import { Link, useNavigate } from '../../lib/router.tsx';

/** Alerts about the machine of TARSy, which its built-in tools can examine. */
const EXAMPLES = [
  'Disk almost full on this host: / above 90%',
  'Memory of this host almost used up: less than 10% available',
  'Load of this host too high: above 8 for 5 minutes',
] as const;

/** Replaces an empty list of sessions: example alerts to run, and which model investigates. */
export default function FirstSteps() {
  const model = useSystemState()?.model;
  return (
    <EmptyNotice title="No investigations yet">
      <Box sx={{ mb: 1.5 }}>Run an example alert about the machine on which TARSy runs:</Box>
      <Examples />
      <Box sx={{ mt: 2 }}>
        <Button component={Link} to="/submit" variant="outlined">
          Submit an alert
        </Button>
      </Box>
      {model?.usesRules ? (
        <Box role="note" aria-label="Language model" sx={{ mt: 2, maxWidth: '72ch', mx: 'auto' }}>
          <RulesNote />
        </Box>
      ) : null}
    </EmptyNotice>
  );
}

function Examples() {
  const [{ fetching, data, error }, submit] = useMutation(SubmitAlertDocument);
  const [running, setRunning] = useState<string>();
  const navigate = useNavigate();
  const refusal = refusalText(data?.submitAlert, error);
  const run = async (example: string): Promise<void> => {
    setRunning(example);
    const result = (await submit({ input: { data: example } })).data?.submitAlert;
    if (result?.__typename === 'SubmitAlertSuccess') navigate(sessionPath(result.session.id));
  };
  return (
    <>
      <Box component="ul" aria-label="Example alerts" sx={list}>
        {EXAMPLES.map((example) => (
          <Box component="li" key={example} sx={row}>
            <Box sx={{ minWidth: 0, overflowWrap: 'anywhere', color: 'text.primary' }}>{example}</Box>
            <ActionButton
              needs="SUBMIT_ALERTS"
              variant="contained"
              aria-label={`Investigate: ${example}`}
              loading={fetching && running === example}
              disabled={fetching}
              onClick={() => void run(example)}
              sx={{ flex: 'none' }}
            >
              Investigate
            </ActionButton>
          </Box>
        ))}
      </Box>
      {refusal === undefined ? null : (
        <Alert severity="warning" sx={{ mt: 1, textAlign: 'left' }}>
          {refusal}
        </Alert>
      )}
    </>
  );
}

const list = { listStyle: 'none', m: 0, mx: 'auto', p: 0, maxWidth: 620, textAlign: 'left' } as const;
const row = {
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 1.5,
  py: 0.75,
  '& + &': { borderTop: 1, borderColor: 'divider' },
} as const;
