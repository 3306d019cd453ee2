import IconButton from '@mui/material/IconButton';
import { useColorScheme } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import { DarkIcon, LightIcon, SystemIcon } from './icons.tsx';

const looks = {
  system: { next: 'light', icon: <SystemIcon fontSize="small" />, label: 'Colours: as the system' },
  light: { next: 'dark', icon: <LightIcon fontSize="small" />, label: 'Colours: light' },
  dark: { next: 'system', icon: <DarkIcon fontSize="small" />, label: 'Colours: dark' },
} as const;

/** System, light, dark, in turn; remembered by the browser. */
export function SchemeToggle() {
  const { mode = 'system', setMode } = useColorScheme();
  const { next, icon, label } = looks[mode];
  return (
    <Tooltip title={label}>
      <IconButton aria-label={`${label}. Switch to ${next}`} onClick={() => setMode(next)}>
        {icon}
      </IconButton>
    </Tooltip>
  );
}
