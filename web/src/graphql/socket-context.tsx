import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { useSignedOut } from './sign-in-context.tsx';
import type { ConnectionState, Socket } from './socket.ts';

const SocketContext = createContext<Socket | null>(null);
export const SocketProvider = SocketContext.Provider;

/** The page's WebSocket. Throws outside its provider. */
function useSocket(): Socket {
  const socket = useContext(SocketContext);
  if (socket === null) throw new Error('useSocket needs a SocketProvider above it');
  return socket;
}

export function useConnectionState(): ConnectionState {
  const socket = useSocket();
  return useSyncExternalStore(socket.onState, socket.state);
}

/** Whether the server tells what happens and answers when it is asked: a connection may outlive its sign-in. */
export function useIsInTouch(): boolean {
  const isSignedOut = useSignedOut();
  return useConnectionState() === 'connected' && !isSignedOut;
}

/**
 * Calls `read` each time the connection is there after it was not, also for the first time, or its reader is signed in again:
 * what happened meanwhile was told to nobody, or could not be read.
 */
export function useAfterReconnect(read: () => void): void {
  const connection = useConnectionState();
  const isSignedOut = useSignedOut();
  const wasAway = useRef(connection !== 'connected');
  useEffect(() => {
    if (connection === 'waiting' || isSignedOut) wasAway.current = true;
    if (connection !== 'connected' || isSignedOut || !wasAway.current) return;
    wasAway.current = false;
    read();
  }, [connection, isSignedOut, read]);
}
