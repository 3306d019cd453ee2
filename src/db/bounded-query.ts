import pg from 'pg';

/** Number of rows in the first portion. Small, because the size of a row is unknown until then and may be 1 MiB. */
const FIRST_ROWS = 4;
const MAX_ROWS = 1000;
const PORTION_BYTES = 256 * 1024;

/** Members of pg's `Query` that its type declarations lack; they handle protocol messages. */
interface Handlers {
  rows: number;
  callback: ((error: Error | null, result: pg.QueryResult) => void) | undefined;
  _canceledDueToError: Error | false;
  handleDataRow(message: { length: number }): void;
  handlePortalSuspended(connection: { sync(): void }): void;
  _getRows(connection: object, rows: number): void;
}
const Base = pg.Query as unknown as new (config: pg.QueryConfig & { rows: number }) => Handlers;

export class OutOfRoomError extends Error {}

/** Query that reads rows in portions until `hasRoom` refuses the size of a row (bytes). */
class BoundedQuery extends Base {
  readonly #hasRoom: (bytes: number) => boolean;
  #bytes = 0;
  #count = 0;
  /** Error that stopped the reading of rows; `null` if none did. */
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
      this._canceledDueToError = this.refusal; // pg rejects the query with this error once the server has finished
    }
  }

  override handlePortalSuspended(connection: { sync(): void }): void {
    const rows = Math.ceil(PORTION_BYTES / (this.#bytes / this.#count));
    if (!this._canceledDueToError) this._getRows(connection, Math.min(rows, MAX_ROWS));
    else connection.sync(); // ends the statement; the remaining rows are not read
  }
}

/**
 * Runs a statement and reads rows until `hasRoom` refuses the size of a row (bytes). The remaining rows are not read.
 * @throws OutOfRoomError, what `hasRoom` throws, or the database's error
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
    throw error; // the response failed while this call waited for a connection
  }
  const query = new BoundedQuery(config, hasRoom);
  return new Promise((resolve, reject) => {
    query.callback = (error, result) => {
      // After a server error the connection is dropped, because the server waits for a message that pg does not send.
      client.release(error !== null && error !== query.refusal ? error : undefined);
      if (error) reject(error);
      else resolve(result as pg.QueryResult<T>);
    };
    client.query(query as unknown as pg.Submittable);
  });
}
