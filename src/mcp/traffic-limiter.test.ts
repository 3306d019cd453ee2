import { describe, expect, it } from 'vitest';
import { createTraffic } from './traffic-limiter.ts';

const note = { jsonrpc: '2.0', method: 'notifications/progress' } as const;
const request = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' } as const;

/** How often in a row something may happen. */
function most(happen: () => string | null): number {
  let count = 0;
  while (happen() === null) count += 1;
  return count;
}

describe('a connection may bring so much at once', () => {
  let time = 0;
  const open = () => createTraffic(() => time);

  it('and more as time goes by', () => {
    const traffic = open();
    expect(most(() => traffic.message(note))).toBe(5_000);
    time += 60_000;
    expect(most(() => traffic.message(note))).toBe(5_000);
    time += 1_000;
    expect(most(() => traffic.noise())).toBe(99);
  });

  it('requests and streams count for more than other messages', () => {
    const traffic = open();
    expect(most(() => traffic.message(request))).toBe(100);
    expect(most(() => traffic.stream())).toBe(20);
  });

  it('and says what was too much', () => {
    const traffic = open();
    expect(traffic.bytes(64 * 1024 * 1024)).toBeNull();
    expect(traffic.bytes(1)).toBe('the server sent too many bytes');
  });
});
