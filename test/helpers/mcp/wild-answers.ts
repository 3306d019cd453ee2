import { BLOCKS, ERRORS, RESULTS } from './wild-calls.ts';
import { HANDSHAKES, LISTS } from './wild-lists.ts';
import type { RpcId, WildMode } from './wild-mode.ts';

export interface RpcMessage {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
}

/** All modes in which messages differ from the protocol. */
export const WILD_MODES: Readonly<Record<string, WildMode>> = {
  ...HANDSHAKES,
  ...LISTS,
  ...RESULTS,
  ...ERRORS,
  ...BLOCKS,
};

const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'wild', version: '1' },
};
const TOOLS = [{ name: 'go', description: 'Goes', inputSchema: { type: 'object' } }];

/** Returns the messages with which the server answers a message; none for notifications. */
export function answersOf(mode: WildMode, { id, method }: RpcMessage): unknown[] {
  const answer = mode.answer ?? ((to: RpcId, result: unknown) => ({ jsonrpc: '2.0', id: to, result }));
  switch (method) {
    case 'initialize':
      return [answer(id, mode.initialize?.(INITIALIZED) ?? INITIALIZED)];
    case 'tools/list':
      return [answer(id, mode.list?.() ?? { tools: TOOLS })];
    case 'tools/call':
      if (mode.callMessages) return mode.callMessages(id);
      return [answer(id, mode.call ? mode.call() : { content: [{ type: 'text', text: 'gone well' }] })];
    default:
      return id === undefined
        ? []
        : [{ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }];
  }
}
