import pg from 'pg';

/** Rows that are asked for first, when nothing is known of their size: each may have a MiB. */
const FIRST_ROWS = 4;
const MAX_ROWS = 1000;

/** Bytes that one portion of rows should have. */
const PORTION_BYTES = 256 * 1024;

/** What of pg's query is not in its types: it handles the messages of the protocol. */
interface Handlers {
  rows: number;
  callback: ((error: Error | null, result: pg.QueryResult) => void) | undefined;
  _canceledDueToError: Error | false;
  handleDataRow(message: { length: number }): void;
  handlePortalSuspended(connection: { sync(): void }): void;
  _getRows(connection: object, rows: number): void;
}
const Base = pg.Query as unknown as new (config: pg.QueryConfig & { rows: number }) => Handlers;

/** There were more rows than there was room for. */
export class OutOfRoomError extends Error {}

/**
 * A statement whose rows are read in portions. `hasRoom` is told of each row's bytes; when it says no, or throws, the
 * rest is neither kept nor asked for, and the statement fails.
 */
class BoundedQuery extends Base {
  readonly #hasRoom: (bytes: number) => boolean;
  #bytes = 0;
  #count = 0;
  /** Why the rest was not read; null = all was. */
  refusal: Error | null = null;

  constructor(config: pg.QueryConfig, hasRoom: (bytes: number) => boolean) {
    super({ ...config, rows: FIRST_ROWS });
    this.#hasRoom = hasRoom;
  }

  override handleDataRow(message: { length: number }): void {
    if (this._canceledDueToError) return;
    this.#bytes += message.length;
    this.#count += 1;
    try {
      if (!this.#hasRoom(message.length)) throw new OutOfRoomError();
      super.handleDataRow(message);
    } catch (error) {
      this.refusal = error as Error;
      this._canceledDueToError = this.refusal; // thrown on when the server is done
    }
  }

  override handlePortalSuspended(connection: { sync(): void }): void {
    const rows = Math.ceil(PORTION_BYTES / (this.#bytes / this.#count));
    if (this._canceledDueToError)
      connection.sync(); // ends the statement: no more rows
    else this._getRows(connection, Math.min(rows, MAX_ROWS));
  }
}

/**
 * Runs a statement of which no more is read than there is room for.
 * @throws OutOfRoomError, what `hasRoom` throws, and what the database says
 */
export async function queryBounded<T extends pg.QueryResultRow>(
  pool: Pick<pg.Pool, 'connect'>,
  config: pg.QueryConfig,
  hasRoom: (bytes: number) => boolean,
): Promise<pg.QueryResult<T>> {
  const client = await pool.connect();
  try {
    hasRoom(0);
  } catch (error) {
    client.release();
    throw error; // while it waited for the connection there came to be no use in it
  }
  const query = new BoundedQuery(config, hasRoom);
  return new Promise((resolve, reject) => {
    query.callback = (error, result) => {
      // After an error of its own the server waits for a message that pg does not send: such a connection is not kept.
      client.release(error !== null && error !== query.refusal ? error : undefined);
      if (error) reject(error);
      else resolve(result as pg.QueryResult<T>);
    };
    client.query(query as unknown as pg.Submittable);
  });
}
