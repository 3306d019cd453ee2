import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { useSignedOut } from './sign-in-context.tsx';
import type { ConnectionState, Socket } from './socket.ts';

const SocketContext = createContext<Socket | null>(null);
export const SocketProvider = SocketContext.Provider;

function useSocket(): Socket {
  const socket = useContext(SocketContext);
  if (socket === null) throw new Error('useSocket needs a SocketProvider above it');
  return socket;
}

export function useConnectionState(): ConnectionState {
  const socket = useSocket();
  return useSyncExternalStore(socket.onState, socket.state);
}

/** True if the page is connected and the user is signed in, because a connection may outlive its sign-in. */
export function useIsLive(): boolean {
  const isSignedOut = useSignedOut();
  return useConnectionState() === 'connected' && !isSignedOut;
}

/**
 * Calls `read` on the first connection, after each reconnection and after a new sign-in, because events may have been
 * missed.
 */
export function useAfterReconnect(read: () => void): void {
  const connection = useConnectionState();
  const isSignedOut = useSignedOut();
  const wasDisconnected = useRef(connection !== 'connected');
  useEffect(() => {
    if (connection === 'waiting' || isSignedOut) wasDisconnected.current = true;
    if (connection !== 'connected' || isSignedOut || !wasDisconnected.current) return;
    wasDisconnected.current = false;
    read();
  }, [connection, isSignedOut, read]);
}
