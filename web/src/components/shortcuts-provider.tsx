import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useNavigate } from '../lib/router.tsx';
import { createShortcuts, ShortcutsContext, shortcutFor, useShortcuts } from '../lib/shortcuts.ts';
import { useStoredChoice } from '../lib/stored.ts';
import { useRights } from './use-rights.ts';

const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));

export function ShortcutsProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(createShortcuts);
  const [helpOpen, setHelpOpen] = useState(false);
  // Users can turn shortcuts off, because single keys hinder dictation and unsteady hands.
  const [on, setOn] = useStoredChoice('shortcuts', ['on', 'off'], 'on');
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
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
      <GlobalShortcuts help={() => setHelpOpen(true)} />
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
    </ShortcutsContext>
  );
}

function GlobalShortcuts({ help }: { help: () => void }) {
  const navigate = useNavigate();
  const submit = { key: 'n', label: 'Submit an alert', run: () => navigate('/submit') };
  useShortcuts('On every page', [
    { key: '?', label: 'Show these keys', run: help },
    ...(useRights().may('SUBMIT_ALERTS') ? [submit] : []),
    { key: 'h', label: 'Go to the sessions', run: () => navigate('/') },
  ]);
  return null;
}
