import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';

/** grpc.health.v1.HealthCheckResponse.ServingStatus */
const SERVING = 1;
/** Tag of field 1 (status) as a varint; the whole answer is these two bytes. */
const STATUS_TAG = 0x08;
const POLL_MS = 50;
const CALL_LIMIT_MS = 2_000;

/** Asks a gRPC server, again and again, whether it serves. */
export interface ServingCheck {
  /**
   * Resolves when the server serves, one that knows nothing of the health protocol included.
   * @throws Error when it says that it does not, or says nothing within the limit
   */
  check(limitMs: number): Promise<void>;
  close(): void;
}

/** @param address host:port; spoken to without TLS, and through no proxy */
export function servingCheck(address: string): ServingCheck {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
    'grpc.max_reconnect_backoff_ms': CALL_LIMIT_MS,
    'grpc.use_local_subchannel_pool': 1,
  });
  return {
    async check(limitMs) {
      const answer = await askStatus(client, limitMs);
      if (answer !== SERVING) throw new Error('it says that it does not serve');
    },
    close: () => client.close(),
  };
}

/**
 * Resolves when the gRPC server at `address` (host:port) says that it serves.
 * @throws the signal's reason when it fires first.
 */
export async function untilServing(address: string, signal: AbortSignal): Promise<void> {
  const server = servingCheck(address);
  try {
    // A server that is not up yet is waited for inside the call.
    while (!(await serves(server))) await delay(POLL_MS, undefined, { signal });
    signal.throwIfAborted();
  } finally {
    server.close();
  }
}

const serves = (server: ServingCheck): Promise<boolean> =>
  server.check(CALL_LIMIT_MS).then(
    () => true,
    () => false,
  );

/** The health protocol's Check of the server as a whole: an empty request, so no generated code is needed for it. */
function askStatus(client: Client, limitMs: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      () => Buffer.alloc(0),
      (answer: Buffer) => (answer[0] === STATUS_TAG ? answer[1] : undefined),
      null,
      new Metadata(),
      { deadline: Date.now() + limitMs },
      (error: ServiceError | null, answer) => {
        if (error === null) resolve(answer);
        else if (error.code === status.UNIMPLEMENTED) resolve(SERVING);
        else reject(error);
      },
    );
  });
}
