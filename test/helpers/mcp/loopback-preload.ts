import { type AddressInfo, Server } from 'node:net';

/**
 * Preloaded into a server that others made: whatever address it asks for, it listens on a free port of loopback, and
 * tells the process that started it which.
 */
const listen = Server.prototype.listen as (this: Server, ...args: unknown[]) => Server;

Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]): Server {
  this.once('listening', () => process.send?.({ port: (this.address() as AddressInfo).port }));
  return listen.call(this, 0, '127.0.0.1', ...args.filter((arg) => typeof arg === 'function'));
};
