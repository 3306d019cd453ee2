import { describe, expect, it } from 'vitest';
import { createTrafficLimiter } from './traffic-limiter.ts';

const note = { jsonrpc: '2.0', method: 'notifications/progress' } as const;
const request = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' } as const;

/** Returns how often in a row a call is allowed. */
function most(happen: () => string | null): number {
  let count = 0;
  while (happen() === null) count += 1;
  return count;
}

describe('a connection', () => {
  let time = 0;
  const open = () => createTrafficLimiter(() => time);

  it('has a burst that refills over time', () => {
    const traffic = open();
    expect(most(() => traffic.message(note))).toBe(5_000);
    time += 60_000;
    expect(most(() => traffic.message(note))).toBe(5_000);
    time += 1_000;
    expect(most(() => traffic.noise())).toBe(99);
  });

  it('has lower limits for requests and streams', () => {
    const traffic = open();
    expect(most(() => traffic.message(request))).toBe(100);
    expect(most(() => traffic.stream())).toBe(20);
  });

  it('names the exceeded limit', () => {
    const traffic = open();
    expect(traffic.bytes(64 * 1024 * 1024)).toBeNull();
    expect(traffic.bytes(1)).toBe('the server sent too many bytes');
  });
});
