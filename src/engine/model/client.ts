import { Client, connectivityState, credentials, Metadata } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { LlmChunk } from './chunks.ts';
import { LlmError } from './errors.ts';
import { type LlmRequest, requestToWire } from './request.ts';
import { type CallControl, controlCall, readCall } from './service-call.ts';
import { LLM_SERVICE, SERVICE_NAME } from './wire.ts';

/** Largest message to and from the LLM service (bytes): a whole conversation with large tool results. */
export const LLM_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export { LlmError } from './errors.ts';
export type { LlmRequest, LlmSettings, LlmTool } from './request.ts';

export interface LlmClient {
  /**
   * Makes one LLM call when the result is first iterated, and reads no faster than the chunks are consumed. Leaving the
   * loop early cancels the call. Aborting cancels it at once, and the iteration throws `signal.reason`.
   * @throws LlmError for every other failure
   */
  generate(request: LlmRequest, options: { signal: AbortSignal }): AsyncIterable<LlmChunk>;
  /** Ends the connection, and running calls with `client_closed`. */
  close(): Promise<void>;
}

export interface LlmClientLimits {
  callTimeoutMs: number;
  /** Limit from the call to its first chunk. */
  firstTokenTimeoutMs: number;
  /** Limit between two chunks. */
  stallTimeoutMs: number;
  maxMessageBytes: number;
  /** How long a call waits for a connection. Default: 15 s, enough for the service to restart. */
  connectTimeoutMs?: number;
}

/**
 * gRPC itself retries a call that lost its connection before its first message, because the connection may have been
 * dead unnoticed. At most three attempts are made, because the request itself may crash the service.
 */
const SERVICE_CONFIG = JSON.stringify({
  methodConfig: [
    {
      name: [{ service: SERVICE_NAME }],
      retryPolicy: {
        maxAttempts: 3,
        initialBackoff: '0.1s',
        maxBackoff: '1s',
        backoffMultiplier: 3,
        retryableStatusCodes: ['UNAVAILABLE'],
      },
    },
  ],
});

/** @param options.address host:port of the LLM service, which is called without TLS */
export function createLlmClient(options: {
  address: string;
  limits: LlmClientLimits;
  logger: Logger;
}): LlmClient {
  const { limits, logger } = options;
  const open = () =>
    new Client(options.address, credentials.createInsecure(), channelOptions(limits.maxMessageBytes));
  const { Generate: method } = LLM_SERVICE;
  let stub = open();
  const stateOf = (used: Client) => used.getChannel().getConnectivityState(false);
  /** Replaces a stub that hangs: gRPC waits without limit for a service that accepts a connection and stays silent. */
  const giveUpConnecting = (used: Client) => {
    if (closed || used !== stub || stateOf(used) !== connectivityState.CONNECTING) return;
    stub = open();
    used.close();
  };
  const callLimits = { connectTimeoutMs: 15_000, ...limits };
  const running = new Set<CallControl>();
  let closed = false;

  async function* generate(request: LlmRequest, { signal }: { signal: AbortSignal }) {
    signal.throwIfAborted();
    if (closed) throw closedError();
    const startedAt = performance.now();
    const used = stub;
    const control = controlCall(
      used.makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        requestToWire(request),
        metadataOf(request),
        { deadline: Date.now() + limits.callTimeoutMs },
      ),
    );
    const onAbort = () => control.stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    running.add(control);
    let outcome = 'left';
    try {
      yield* readCall(control, callLimits, () => stateOf(used) === connectivityState.READY);
      outcome = 'completed';
    } catch (error) {
      outcome = error instanceof LlmError ? error.code : 'stopped';
      if (outcome === 'llm_service_unavailable') giveUpConnecting(used);
      throw error;
    } finally {
      running.delete(control);
      signal.removeEventListener('abort', onAbort);
      logger.debug(
        {
          sessionId: request.sessionId,
          executionId: request.executionId,
          model: request.llm.model,
          durationMs: Math.round(performance.now() - startedAt),
          outcome,
        },
        'LLM call ended',
      );
    }
  }

  return {
    generate,
    async close() {
      closed = true;
      for (const control of running) control.stop(closedError());
      stub.close();
    },
  };
}

function metadataOf({ traceparent }: LlmRequest): Metadata {
  // waitForReady: a restarting service is not a failure. connectTimeoutMs bounds the wait.
  const metadata = new Metadata({ waitForReady: true });
  if (traceparent) metadata.set('traceparent', traceparent);
  return metadata;
}

function closedError(): LlmError {
  return new LlmError('client_closed', 'The connection to the LLM service was closed', false);
}

function channelOptions(maxMessageBytes: number) {
  return {
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_receive_message_length': maxMessageBytes,
    // Reconnects soon and resolves the host name again: the service restarts within seconds, maybe at another address.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2_000,
    'grpc.dns_min_time_between_resolutions_ms': 2_000,
    // Detects a dead peer during a long silent call. The service allows a ping every 10 s.
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    // The service is internal; a proxy for the outside world cannot reach it.
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.service_config': SERVICE_CONFIG,
    // gRPC buffers a request for retries until its first response. A request may exceed the default of 1 MiB.
    'grpc.per_rpc_retry_buffer_size': maxMessageBytes,
    'grpc.retry_buffer_size': 4 * maxMessageBytes,
    // Unshared connections, so that close() closes them.
    'grpc.use_local_subchannel_pool': 1,
  };
}
