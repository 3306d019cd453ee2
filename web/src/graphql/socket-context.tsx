import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
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

/** Calls `read` each time the connection is back after it was lost: what happened meanwhile was told to nobody. */
export function useAfterReconnect(read: () => void): void {
  const connection = useConnectionState();
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection === 'waiting') wasLost.current = true;
    if (connection !== 'connected' || !wasLost.current) return;
    wasLost.current = false;
    read();
  }, [connection, read]);
}
