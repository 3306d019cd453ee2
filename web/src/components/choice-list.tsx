import Box from '@mui/material/Box';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { CheckIcon } from './icons.tsx';

export interface Choice {
  readonly value: string;
  readonly name: string;
  /** Text at the end of the choice's row, such as a count. */
  readonly note?: string | undefined;
}

interface Props {
  readonly id: string;
  readonly label: string;
  readonly anchor: HTMLElement | null;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly multiple: boolean;
  readonly choose: (value: string) => void;
  readonly close: () => void;
}

/** The menu of a `ChoiceField`. Stays open if several choices are allowed. */
export default function ChoiceList({ id, label, anchor, choices, chosen, multiple, choose, close }: Props) {
  const list = {
    id,
    role: 'listbox',
    'aria-label': label,
    ...(multiple ? { 'aria-multiselectable': true } : {}),
  };
  const paper = { sx: { maxHeight: 420, minWidth: anchor?.offsetWidth } };
  return (
    <Menu open anchorEl={anchor} onClose={close} slotProps={{ list, paper }}>
      {choices.map(({ value, name, note }) => {
        const isChosen = chosen.includes(value);
        return (
          <MenuItem
            key={value}
            dense
            role="option"
            aria-selected={isChosen}
            selected={isChosen}
            onClick={() => choose(value)}
            sx={{ gap: 1 }}
          >
            {multiple ? (
              <CheckIcon sx={{ fontSize: 16, visibility: isChosen ? 'visible' : 'hidden' }} />
            ) : null}
            <ListItemText primary={name} sx={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }} />
            {note === undefined ? null : <Box sx={end}>{note}</Box>}
          </MenuItem>
        );
      })}
    </Menu>
  );
}

const end = {
  ml: 2,
  flex: 'none',
  fontSize: '0.8125rem',
  fontVariantNumeric: 'tabular-nums',
  color: 'text.secondary',
} as const;
