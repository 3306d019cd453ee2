import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** How the proxy treats connections to the database. */
export type ProxyMode =
  /** Forwards everything. */
  | 'pass'
  /** Destroys open connections and answers new ones with ECONNREFUSED. */
  | 'refuse'
  /**
   * Drops all packets in both directions, including the end of a connection. New connections are accepted and
   * get no answer. A connection stays dead when the mode changes, because its lost data cannot return.
   */
  | 'dead'
  /**
   * Holds all data back, and delivers it in order once the mode changes, as a network that retransmits does.
   */
  | 'held'
  /** Delays every packet and keeps the order. */
  | { slowMs: number }
  /** Destroys open connections. New ones pass. */
  | 'cut'
  /** Open connections pass. New ones get this PostgreSQL error, such as 53300, and are closed. */
  | { reject: string; message?: string };

/** A TCP proxy in front of PostgreSQL that simulates network and server failures. */
export interface FreezingProxy {
  /** The database's URL through the proxy. */
  url: string;
  /**
   * Resolves once the mode applies.
   * @param of limits the mode to connections whose first message contains this text, such as an application
   * name; default: all connections. `refuse` and errors always apply to all
   */
  set(mode: ProxyMode, of?: string): Promise<void>;
  /** The number of client connections that the client has not ended. */
  readonly open: number;
  /** Destroys every connection and stops listening. */
  close(): Promise<void>;
}

/** One client connection. */
interface Connection {
  /** True if the proxy dropped data of the connection. */
  lost: boolean;
  /** The client's first message, which names the client. */
  greeting: string;
}

/** Opens a proxy to the database at `url` in mode `pass`. */
export async function openFreezingProxy(url: string): Promise<FreezingProxy> {
  const target = new URL(url);
  const near = new Map<Socket, Connection>();
  const far = new Map<Socket, Connection>();
  let mode: ProxyMode = 'pass';
  let concerned = '';
  let changed = Promise.withResolvers<void>();

  function take(client: Socket): void {
    const connection = { lost: false, greeting: '' };
    client.once('data', (bytes) => {
      connection.greeting = bytes.toString('latin1');
    });
    track(client, near, connection);
    if (typeof mode === 'object' && 'reject' in mode) {
      const { reject, message = 'rejected by the test' } = mode;
      client.once('data', () => client.end(errorResponse(reject, message)));
      return;
    }
    if (mode === 'dead' && concerned === '') return void client.resume();
    const server = connect({ port: Number(target.port || 5432), host: target.hostname, allowHalfOpen: true });
    track(server, far, connection);
    relay(client, server, connection);
    relay(server, client, connection);
  }

  function modeOf({ greeting }: Connection): ProxyMode {
    return greeting.includes(concerned) ? mode : 'pass';
  }

  function relay(from: Socket, to: Socket, connection: Connection): void {
    let last: Promise<unknown> = Promise.resolve();
    const after = (send: () => void): void => {
      const now = modeOf(connection);
      if (now === 'dead') connection.lost = true;
      const due = performance.now() + (typeof now === 'object' && 'slowMs' in now ? now.slowMs : 0);
      last = last.then(async () => {
        const early = due - performance.now();
        if (early > 0) await delay(early);
        while (modeOf(connection) === 'held') await changed.promise;
        if (!connection.lost) send();
      });
    };
    from.on('data', (bytes) => after(() => to.write(bytes)));
    from.on('end', () => after(() => to.end()));
    from.on('close', () => after(() => to.destroySoon()));
  }

  function destroy(of: string): void {
    for (const [socket, { greeting }] of [...near, ...far]) if (greeting.includes(of)) socket.destroy();
  }

  const server = createServer({ allowHalfOpen: true }, take);
  const port = await listen(server, await freePort());
  const own = new URL(url);
  own.host = `127.0.0.1:${port}`;
  return {
    url: own.href,
    async set(next, of = '') {
      mode = next === 'cut' ? 'pass' : next;
      concerned = of;
      changed.resolve();
      changed = Promise.withResolvers();
      const listens = next !== 'refuse';
      if (!listens && server.listening) server.close();
      if (next === 'cut') destroy(of);
      if (next === 'refuse') destroy('');
      if (listens && !server.listening) await listen(server, port);
    },
    get open() {
      return [...near.keys()].filter((socket) => !socket.readableEnded).length;
    },
    async close() {
      mode = 'pass';
      changed.resolve();
      destroy('');
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

function track(socket: Socket, all: Map<Socket, Connection>, connection: Connection): void {
  all.set(socket, connection);
  socket.setNoDelay(true);
  socket.on('error', () => {}); // the `close` event follows and is handled
  socket.on('close', () => all.delete(socket));
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** PostgreSQL's error message (type E) with severity, SQLSTATE and text. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
