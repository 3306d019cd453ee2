import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { ChevronIcon } from '../../components/icons.tsx';

interface Props {
  readonly title: string;
  readonly selected: boolean;
  /** Selects the session for a comparison; `null` if as many are selected as can be compared. */
  readonly select: (() => void) | null;
  readonly open: boolean;
  readonly toggle: () => void;
}

/** Buttons of a history row: show the outcome below the row, and select the session for a comparison. */
export function HistoryRowTools({ title, selected, select, open, toggle }: Props) {
  return (
    <Box role="cell" sx={cell}>
      <IconButton
        aria-label={`Outcome of ${title}`}
        aria-expanded={open}
        title="Show the outcome"
        onClick={toggle}
        sx={{ p: 0.5 }}
      >
        <ChevronIcon sx={{ fontSize: 16, transform: open ? 'rotate(90deg)' : 'none' }} />
      </IconButton>
      <Box
        component="input"
        type="checkbox"
        aria-label={`Compare ${title}`}
        title="Select for a comparison"
        checked={selected}
        disabled={select === null}
        onChange={select ?? undefined}
        sx={checkbox}
      />
    </Box>
  );
}

// Above the link that covers the row.
const cell = {
  position: 'relative',
  zIndex: 1,
  gridArea: { xs: 'tools', md: 'auto' },
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  ml: { md: -1 },
  mr: { xs: -1, md: 0 },
  justifySelf: { xs: 'end', md: 'start' },
} as const;
const checkbox = {
  display: { xs: 'none', md: 'block' },
  width: 16,
  height: 16,
  m: 0.5,
  accentColor: 'var(--mui-palette-primary-main)',
} as const;
