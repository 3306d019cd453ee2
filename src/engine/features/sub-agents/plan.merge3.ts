import { createHash } from 'node:crypto';

/**
 * The key of the execution that a tool call begins: of one call always the same, so that a call which is made again after a crash finds
 * what it has begun. A UUIDv7 with the time of its parent's.
 */
export function subAgentId(parentId: string, callId: string, task: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([parentId, callId, task]))
    .digest();
  digest[0] = (digest[0]! & 0x0f) | 0x70; // version
  digest[2] = (digest[2]! & 0x3f) | 0x80; // variant
  const hex = digest.toString('hex');
  return `${parentId.slice(0, 13)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8, 20)}`;
}
