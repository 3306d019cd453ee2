import { type AddressInfo, Server } from 'node:net';

/**
 * Is preloaded into a third-party server. Makes the server listen on a free loopback port, whatever address
 * it requests, and sends the port to the parent process.
 */
const listen = Server.prototype.listen as (this: Server, ...args: unknown[]) => Server;

Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]): Server {
  this.once('listening', () => process.send?.({ port: (this.address() as AddressInfo).port }));
  return listen.call(this, 0, '127.0.0.1', ...args.filter((arg) => typeof arg === 'function'));
};
