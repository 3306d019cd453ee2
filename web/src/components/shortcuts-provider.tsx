import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useNavigate } from '../lib/router.tsx';
import {
  createShortcuts,
  opensPalette,
  PALETTE_KEY,
  ShortcutsContext,
  shortcutFor,
  useShortcuts,
} from '../lib/shortcuts.ts';
import { useStoredChoice } from '../lib/stored.ts';
import { useRights } from './use-rights.ts';

const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));
const CommandPalette = lazy(() => import('../features/palette/command-palette.tsx'));

export function ShortcutsProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(createShortcuts);
  const [helpOpen, setHelpOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  // Users can turn shortcuts off, because single keys hinder dictation and unsteady hands.
  const [on, setOn] = useStoredChoice('shortcuts', ['on', 'off'], 'on');
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (opensPalette(event)) {
        event.preventDefault();
        setPaletteOpen(true);
        return;
      }
      const shortcut = on === 'on' ? shortcutFor(event, registry.groups()) : null;
      if (shortcut === null) return;
      event.preventDefault();
      shortcut.run?.();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [registry, on]);
  return (
    <ShortcutsContext value={registry}>
      <GlobalShortcuts help={() => setHelpOpen(true)} palette={() => setPaletteOpen(true)} />
      {children}
      {helpOpen ? (
        <Suspense>
          <ShortcutsDialog
            groups={registry.groups()}
            enabled={on === 'on'}
            setEnabled={(next) => setOn(next ? 'on' : 'off')}
            close={() => setHelpOpen(false)}
          />
        </Suspense>
      ) : null}
      {paletteOpen ? (
        <Suspense>
          <CommandPalette shortcuts={registry.groups()} close={() => setPaletteOpen(false)} />
        </Suspense>
      ) : null}
    </ShortcutsContext>
  );
}

function GlobalShortcuts({ help, palette }: { help: () => void; palette: () => void }) {
  const navigate = useNavigate();
  const submit = { key: 'n', label: 'Submit alert', run: () => navigate('/submit') };
  useShortcuts('All pages', [
    { key: '?', label: 'Show keyboard shortcuts', run: help },
    { key: PALETTE_KEY, label: 'Open the command palette', run: palette },
    ...(useRights().may('SUBMIT_ALERTS') ? [submit] : []),
    { key: 'h', label: 'Go to sessions', run: () => navigate('/') },
  ]);
  return null;
}
