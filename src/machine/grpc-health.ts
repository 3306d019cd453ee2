import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';

/** grpc.health.v1.HealthCheckResponse.ServingStatus */
const SERVING = 1;
/** First byte of the response: protobuf field 1 (status), encoded as a varint. The next byte is the status. */
const STATUS_TAG = 0x08;
const POLL_MS = 50;
const CALL_LIMIT_MS = 2_000;

export interface ServingCheck {
  /**
   * Resolves if the server is serving, or if it does not implement the health protocol.
   * @throws Error if the server reports another status, or does not answer within `limitMs`
   */
  check(limitMs: number): Promise<void>;
  close(): void;
}

/** Creates the check of the gRPC server at `address` (host:port), contacted without TLS and without a proxy. */
export function servingCheck(address: string): ServingCheck {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
    'grpc.max_reconnect_backoff_ms': CALL_LIMIT_MS,
    'grpc.use_local_subchannel_pool': 1,
  });
  return {
    async check(limitMs) {
      const answer = await askStatus(client, limitMs);
      if (answer !== SERVING) throw new Error('it reports that it is not serving');
    },
    close: () => client.close(),
  };
}

/**
 * Resolves when the gRPC server at `address` (host:port) reports that it is serving.
 * @throws the signal's reason if it fires first
 */
export async function untilServing(address: string, signal: AbortSignal): Promise<void> {
  const server = servingCheck(address);
  try {
    // The pause is short, because gRPC itself waits within a call for a server that is still starting.
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

/** Sends the health protocol's Check. Needs no generated code, because the request is empty. */
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
