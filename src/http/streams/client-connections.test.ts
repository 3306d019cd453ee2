import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createClientConnections, peerOf } from './client-connections.ts';

const from = (remoteAddress: string | undefined) => ({ socket: { remoteAddress } }) as IncomingMessage;

test('counts each client separately and forgets clients that have left', () => {
  const clients = createClientConnections({ connectionsPerClient: 2 }, peerOf);
  const [one, two] = [clients.enter(from('10.0.0.1')), clients.enter(from('::ffff:10.0.0.1'))];
  expect(clients.enter(from('10.0.0.1'))).toBeNull();
  expect(clients.enter(from('10.0.0.2'))).not.toBeNull();
  one!();
  one!(); // the second call has no effect
  expect(clients.enter(from('10.0.0.1'))).not.toBeNull();
  expect(clients.enter(from('10.0.0.1'))).toBeNull();
  two!();
  expect(clients.enter(from('10.0.0.1'))).not.toBeNull();
});

test.each<[string | undefined, string | undefined, boolean]>([
  ['10.0.0.1', '::ffff:10.0.0.1', true],
  ['10.0.0.1', '10.0.0.2', false],
  ['2001:db8::1', '2001:db8::ffff:1', true],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  [undefined, undefined, true],
])('%s and %s are the same client: %s', (one, other, same) => {
  expect(peerOf(from(one)) === peerOf(from(other))).toBe(same);
});
