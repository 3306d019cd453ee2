import { createContext, useContext, useSyncExternalStore } from 'react';
import type { ConnectionState, Socket } from './socket.ts';

const SocketContext = createContext<Socket | null>(null);
export const SocketProvider = SocketContext.Provider;

/** The page's WebSocket. Throws outside its provider. */
export function useSocket(): Socket {
  const socket = useContext(SocketContext);
  if (socket === null) throw new Error('useSocket needs a SocketProvider above it');
  return socket;
}

export function useConnectionState(): ConnectionState {
  const socket = useSocket();
  return useSyncExternalStore(socket.onState, socket.state);
}
