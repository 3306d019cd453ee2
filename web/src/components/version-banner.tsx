import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useEffect, useRef, useState } from 'react';
import { useConnectionState } from '../graphql/live-connection-context.tsx';
import { buildOf, fetchBuild, fetchHealth } from '../lib/health.ts';

// Interval between checks (ms). An update usually interrupts the connection, and each reconnection checks at once.
const CHECK_EVERY_MS = 5 * 60_000;

/** Reports that the server was updated since the page was loaded, and offers to reload. */
export function VersionBanner() {
  const [update, setUpdate] = useUpdate();
  if (update === null) return null;
  return (
    <Alert
      severity="info"
      square
      variant="outlined"
      sx={{ border: 0, borderBottom: 1, borderColor: 'divider', bgcolor: 'background.paper' }}
      action={
        <>
          <Button color="inherit" onClick={() => window.location.reload()}>
            Reload
          </Button>
          <Button color="inherit" onClick={() => setUpdate(null)}>
            Later
          </Button>
        </>
      }
    >
      {update}
    </Alert>
  );
}

/** Returns a message once the server or the dashboard has a newer version than this page (else null), and a setter. */
function useUpdate() {
  const [update, setUpdate] = useState<string | null>(null);
  const firstVersion = useRef<string | null>(null);
  const connection = useConnectionState();
  useEffect(() => {
    if (connection !== 'connected') return;
    let stopped = false;
    const check = async (): Promise<void> => {
      if (document.visibilityState === 'hidden') return;
      const [health, build] = await Promise.all([fetchHealth(), fetchBuild()]);
      if (stopped) return;
      const version = health?.version ?? null;
      const loadedVersion = firstVersion.current;
      firstVersion.current ??= version;
      if (version !== null && loadedVersion !== null && version !== loadedVersion) {
        setUpdate(`Server updated from ${loadedVersion} to ${version}.`);
      } else if (build !== null && build !== buildOf(document.documentElement.outerHTML)) {
        setUpdate('A new version of this page is available.');
      }
    };
    void check();
    const timer = setInterval(() => void check(), CHECK_EVERY_MS);
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }, [connection]);
  return [update, setUpdate] as const;
}
