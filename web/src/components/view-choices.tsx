import Box from '@mui/material/Box';
import Divider from '@mui/material/Divider';
import ListSubheader from '@mui/material/ListSubheader';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useColorScheme } from '@mui/material/styles';
import { useContext } from 'react';
import { NotificationMenu } from '../features/attention/notification-menu.tsx';
import { ShortcutsContext } from '../lib/shortcuts.ts';
import { signOut } from '../lib/sign-out.ts';
import { useStoredChoice } from '../lib/stored.ts';
import { TIME_ZONES, type TimeZone } from '../lib/time-zone.ts';
import { CheckIcon } from './icons.tsx';
import { roleName } from './use-rights.ts';
import { useViewer } from './use-viewer.ts';

const schemes = { system: 'System', light: 'Light', dark: 'Dark' } as const;
const zones: Record<TimeZone, string> = { local: 'Local time', utc: 'UTC' };

interface Props {
  readonly id: string;
  readonly anchor: HTMLElement;
  readonly close: () => void;
}

export default function ViewChoices({ id, anchor, close }: Props) {
  const { mode = 'system', setMode } = useColorScheme();
  const [zone, setZone] = useStoredChoice('time-zone', TIME_ZONES, 'local');
  const registry = useContext(ShortcutsContext);
  const viewer = useViewer();
  const showKeys = (): void => {
    close();
    const help = registry?.groups().flatMap((group) => group.shortcuts);
    help?.find((shortcut) => shortcut.key === '?')?.run?.();
  };
  return (
    <Menu id={id} anchorEl={anchor} open onClose={close} slotProps={{ list: dense }}>
      {viewer === null ? null : (
        <ListSubheader component="div" role="presentation" sx={signedIn}>
          Signed in as <bdi>{viewer.name}</bdi>
          <Box>
            {roleName(viewer.role)}
            {viewer.teams === null ? '' : `; teams: ${viewer.teams.join(', ') || 'none'}`}
          </Box>
        </ListSubheader>
      )}
      <ListSubheader component="div" role="presentation" sx={heading}>
        Theme
      </ListSubheader>
      {Object.entries(schemes).map(([key, label]) => (
        <Choice
          key={key}
          label={label}
          chosen={mode === key}
          choose={() => setMode(key as keyof typeof schemes)}
        />
      ))}
      <ListSubheader component="div" role="presentation" sx={heading}>
        Time zone
      </ListSubheader>
      {TIME_ZONES.map((key) => (
        <Choice key={key} label={zones[key]} chosen={zone === key} choose={() => setZone(key)} />
      ))}
      <ListSubheader component="div" role="presentation" sx={heading}>
        Notifications
      </ListSubheader>
      <NotificationMenu />
      <Divider />
      <MenuItem onClick={showKeys}>Keyboard shortcuts</MenuItem>
      {viewer?.via === 'OIDC' ? <MenuItem onClick={() => void signOut()}>Sign out</MenuItem> : null}
    </Menu>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly chosen: boolean;
  readonly choose: () => void;
}

// MUI's menu adds props to its items, which must reach the MenuItem.
function Choice({ label, chosen, choose, ...item }: ChoiceProps) {
  return (
    <MenuItem {...item} role="menuitemradio" aria-checked={chosen} onClick={choose} sx={{ gap: 1 }}>
      <CheckIcon sx={{ fontSize: 16, visibility: chosen ? 'visible' : 'hidden' }} />
      {label}
    </MenuItem>
  );
}

const dense = { dense: true } as const;
const heading = { lineHeight: '28px', fontSize: '0.75rem', bgcolor: 'transparent' } as const;
const signedIn = { ...heading, maxWidth: 280, py: 0.5, lineHeight: 1.4, overflowWrap: 'anywhere' } as const;
