import ListSubheader from '@mui/material/ListSubheader';
import MenuItem from '@mui/material/MenuItem';
import { useState } from 'react';
import { CheckIcon } from '../../components/icons.tsx';
import { notificationPermission, useNotificationChoice, useSoundChoice } from './notification-choice.ts';
import { playSound } from './play-sound.ts';

/** Items of the View menu that turn notifications and their sound on and off. */
export function NotificationMenu() {
  const [choice, choose] = useNotificationChoice();
  const [sound, chooseSound] = useSoundChoice();
  const [permission, setPermission] = useState(notificationPermission);
  const on = choice === 'on' && permission === 'granted';
  const toggle = async (): Promise<void> => {
    if (on) return choose('off');
    const answer = await Notification.requestPermission();
    setPermission(answer);
    choose(answer === 'granted' ? 'on' : 'off');
  };
  const toggleSound = (): void => {
    if (sound === 'off') playSound();
    chooseSound(sound === 'off' ? 'on' : 'off');
  };
  return (
    <>
      <Toggle
        label="Desktop notifications"
        checked={on}
        disabled={permission === 'denied' || permission === 'unavailable'}
        toggle={() => void toggle()}
      />
      <Toggle label="Play a sound" checked={sound === 'on'} disabled={!on} toggle={toggleSound} />
      {permission === 'denied' ? (
        <Hint>Blocked. Allow notifications for this address in the browser.</Hint>
      ) : null}
      {permission === 'unavailable' ? <Hint>Notifications require HTTPS.</Hint> : null}
    </>
  );
}

function Hint({ children }: { children: string }) {
  return (
    <ListSubheader component="div" role="presentation" sx={hint}>
      {children}
    </ListSubheader>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly toggle: () => void;
}

// MUI's menu adds props to its items, which must reach the MenuItem.
function Toggle({ label, checked, disabled, toggle, ...item }: ToggleProps) {
  return (
    <MenuItem
      {...item}
      role="menuitemcheckbox"
      aria-checked={checked}
      disabled={disabled}
      onClick={toggle}
      sx={{ gap: 1 }}
    >
      <CheckIcon sx={{ fontSize: 16, visibility: checked ? 'visible' : 'hidden' }} />
      {label}
    </MenuItem>
  );
}

const hint = { maxWidth: 240, lineHeight: 1.4, fontSize: '0.75rem', bgcolor: 'transparent' } as const;
