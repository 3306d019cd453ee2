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

/** True if the page is connected and the user is signed in, because a connection may outlive its sign-in. */
export function useIsLive(): boolean {
  const isSignedOut = useSignedOut();
  return useConnectionState() === 'connected' && !isSignedOut;
}

/**
 * Calls `read` on the first connection, after each reconnection, change of transport and new sign-in, because events
 * may have been missed.
 */
export function useAfterReconnect(read: () => void): void {
  const connection = useConnectionState();
  const transport = useTransport();
  const isSignedOut = useSignedOut();
  const wasDisconnected = useRef(connection !== 'connected');
  const lastTransport = useRef(transport);
  useEffect(() => {
    const isChanged = lastTransport.current !== transport;
    lastTransport.current = transport;
    if (connection === 'waiting' || isChanged || isSignedOut) wasDisconnected.current = true;
    if (connection !== 'connected' || isSignedOut || !wasDisconnected.current) return;
    wasDisconnected.current = false;
    read();
  }, [connection, transport, isSignedOut, read]);
}
