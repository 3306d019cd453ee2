import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { ShortcutGroup } from '../lib/shortcuts.ts';
import { mono } from '../theme.ts';

interface Props {
  readonly groups: readonly ShortcutGroup[];
  readonly enabled: boolean;
  readonly setEnabled: (enabled: boolean) => void;
  readonly close: () => void;
}

export default function ShortcutsDialog({ groups, enabled, setEnabled, close }: Props) {
  return (
    <Dialog open onClose={close} aria-labelledby="shortcuts-title" maxWidth="xs" fullWidth>
      <DialogTitle id="shortcuts-title">Keyboard shortcuts</DialogTitle>
      <DialogContent sx={{ opacity: enabled ? 1 : 0.75 }}>
        {[...groups].reverse().map((group) => (
          <Box component="section" key={group.title} aria-label={group.title} sx={{ mb: 2 }}>
            <Typography variant="h3" sx={{ mb: 0.5 }}>
              {group.title}
            </Typography>
            <Box component="dl" sx={list}>
              {group.shortcuts.map(({ key, label }) => (
                <Box key={key} sx={{ display: 'contents' }}>
                  <dt>
                    <Box component="kbd" sx={keyCap}>
                      {key}
                    </Box>
                  </dt>
                  <Box component="dd" sx={{ m: 0 }}>
                    {label}
                  </Box>
                </Box>
              ))}
            </Box>
          </Box>
        ))}
      </DialogContent>
      <DialogActions>
        <Button onClick={() => setEnabled(!enabled)}>
          {enabled ? 'Turn shortcuts off' : 'Turn shortcuts on'}
        </Button>
        <Button variant="contained" onClick={close}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const list = {
  m: 0,
  display: 'grid',
  gridTemplateColumns: '72px minmax(0, 1fr)',
  rowGap: 0.75,
  alignItems: 'baseline',
  fontSize: '0.875rem',
} as const;

const keyCap = {
  px: 0.75,
  py: 0.125,
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 0.5,
  bgcolor: 'well',
  fontFamily: mono,
  fontSize: '0.8125rem',
} as const;
