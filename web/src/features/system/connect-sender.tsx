import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { senders } from './gen/senders.ts';
import { SenderHelp } from './sender-help.tsx';

/** How a monitoring system that is not a source yet becomes one. */
export function ConnectSender() {
  const [type, setType] = useState('');
  return (
    <Box sx={{ mt: 1.5 }}>
      <TextField
        select
        label="Connect a monitoring system"
        value={type}
        onChange={(event) => setType(event.target.value)}
        sx={{ width: { xs: '100%', sm: 320 } }}
      >
        {Object.entries(senders).map(([key, { title }]) => (
          <MenuItem dense key={key} value={key}>
            {title}
          </MenuItem>
        ))}
      </TextField>
      {type === '' ? null : (
        <Paper sx={{ mt: 1, p: 1.5 }}>
          <SenderHelp type={type} name="prod" address={`${window.location.origin}/webhooks/prod`} />
        </Paper>
      )}
    </Box>
  );
}
