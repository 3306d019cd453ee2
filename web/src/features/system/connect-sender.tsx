import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useState } from 'react';
import { ChoiceField } from '../../components/choice-field.tsx';
import { senders } from './gen/senders.ts';
import { SenderHelp } from './sender-help.tsx';

const CHOICES = Object.entries(senders).map(([value, { title }]) => ({ value, name: title }));

/** Shows how to connect a new monitoring system. */
export function ConnectSender() {
  const [type, setType] = useState('');
  return (
    <Box sx={{ mt: 1.5 }}>
      <ChoiceField
        label="Connect a monitoring system"
        choices={CHOICES}
        chosen={[type]}
        change={([chosen = '']) => setType(chosen)}
        width={{ xs: '100%', md: 320 }}
      />
      {type === '' ? null : (
        <Paper sx={{ mt: 1, p: 1.5 }}>
          <SenderHelp type={type} name="prod" address={`${window.location.origin}/webhooks/prod`} />
        </Paper>
      )}
    </Box>
  );
}
