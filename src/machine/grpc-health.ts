import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials, Metadata } from '@grpc/grpc-js';

/** grpc.health.v1.HealthCheckResponse.ServingStatus */
const SERVING = 1;
/** Tag of field 1 (status) as a varint; the whole answer is these two bytes. */
const STATUS_TAG = 0x08;
const POLL_MS = 50;
const CALL_LIMIT_MS = 2_000;

/**
 * Resolves when the gRPC server at `address` (host:port) says that it serves.
 * @throws the signal's reason when it fires first.
 */
export async function untilServing(address: string, signal: AbortSignal): Promise<void> {
  const client = new Client(address, credentials.createInsecure());
  try {
    while ((await checkStatus(client)) !== SERVING) {
      await delay(POLL_MS, undefined, { signal });
    }
    signal.throwIfAborted();
  } finally {
    client.close();
  }
}

/** The health protocol's Check of the server as a whole: an empty request, so no generated code is needed for it. */
function checkStatus(client: Client): Promise<number | undefined> {
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      () => Buffer.alloc(0),
      (answer: Buffer) => (answer[0] === STATUS_TAG ? answer[1] : undefined),
      null,
      new Metadata(),
      // A server that is not up yet is waited for inside the call.
      { deadline: Date.now() + CALL_LIMIT_MS },
      (_error, status) => resolve(status),
    );
  });
}
