import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What the way to the database does from now on. */
export type ProxyMode =
  /** It works. */
  | 'pass'
  /** Nobody listens there: open connections are destroyed, new ones get ECONNREFUSED. */
  | 'refuse'
  /**
   * Packets vanish, both ways, and so does the end of a connection: nobody hears anything. New connections are taken
   * and get no answer. A connection that lived through this stays so, for what it lost cannot come again.
   */
  | 'dead'
  /** As dead, but what was sent arrives, in order, once the mode is another: the network gave it again. */
  | 'held'
  /** Every packet comes late, in order. */
  | { slowMs: number }
  /** Open connections are destroyed, new ones pass. */
  | 'cut'
  /** Open connections pass; new ones get this error of PostgreSQL, such as 53300, and are closed. */
  | { reject: string; message?: string };

/** A TCP proxy in front of PostgreSQL that does what networks and servers do on bad days. */
export interface FreezingProxy {
  /** The database through the proxy: use it in place of the database's own. */
  url: string;
  /**
   * Resolves when the mode holds.
   * @param of only for connections whose first message has this text, such as their application's name; default: for all.
   * `refuse` and errors are for all
   */
  set(mode: ProxyMode, of?: string): Promise<void>;
  /** Connections that clients have not ended. */
  readonly open: number;
  /** Destroys every connection and stops listening. */
  close(): Promise<void>;
}

/** One client, as the proxy knows it. */
interface Connection {
  /** Something that was sent on it vanished. */
  lost: boolean;
  /** What the client says first: who it is. */
  greeting: string;
}

/** Opens a proxy to the database at `url`, which works at first. */
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
  const port = await listen(server, 0);
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
  socket.on('error', () => {}); // its close follows
  socket.on('close', () => all.delete(socket));
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** PostgreSQL's message E: severity, SQLSTATE and text. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
