import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import type { LiveConnection, Transport } from './live-connection.ts';
import { useSignedOut } from './sign-in-context.tsx';
import type { ConnectionState } from './socket.ts';

const LiveConnectionContext = createContext<LiveConnection | null>(null);
export const LiveConnectionProvider = LiveConnectionContext.Provider;

function useLiveConnection(): LiveConnection {
  const connection = useContext(LiveConnectionContext);
  if (connection === null) throw new Error('useLiveConnection needs a LiveConnectionProvider above it');
  return connection;
}

export function useConnectionState(): ConnectionState {
  const connection = useLiveConnection();
  return useSyncExternalStore(connection.onState, connection.state);
}

/** How live events reach the page. */
export function useTransport(): Transport {
  const connection = useLiveConnection();
  return useSyncExternalStore(connection.onState, connection.transport);
}

/**
 * The transport of a connected page; null while it is disconnected or the user is signed out, because a connection may
 * outlive its sign-in. After each change, events may have been missed.
 */
export function useLiveTransport(): Transport | null {
  const transport = useTransport();
  const isSignedOut = useSignedOut();
  return useConnectionState() === 'connected' && !isSignedOut ? transport : null;
}

/**
 * Calls `read` on the first connection, after each reconnection, change of transport and new sign-in, because events
 * may have been missed.
 */
export function useAfterReconnect(read: () => void): void {
  const transport = useLiveTransport();
  const last = useRef(transport);
  useEffect(() => {
    if (last.current === transport) return;
    last.current = transport;
    if (transport !== null) read();
  }, [transport, read]);
}
