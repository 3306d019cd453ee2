import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import type { GenerateRequest, GenerateResponse } from '../../../src/engine/model/gen/llm_service.ts';
import { LLM_SERVICE } from '../../../src/engine/model/wire.ts';

/** A gRPC server behind the test's own TCP listener, so that a test can cut single connections. */
export interface Wire {
  port: number;
  cutConnection(stream: ServerWritableStream<GenerateRequest, GenerateResponse>): void;
  /** Ends all calls and connections at once. */
  close(): Promise<void>;
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** @param port 0 for any free port */
export async function openWire(
  port: number,
  generate: handleServerStreamingCall<GenerateRequest, GenerateResponse>,
): Promise<Wire> {
  const grpc = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });
  grpc.addService({ ...LLM_SERVICE }, { Generate: generate });
  grpc.addService(HEALTH_SERVICE, { check: answerServing });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());

  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // a caller that disconnects is no failure of the server
    socket.on('close', () => sockets.delete(socket));
    injector.injectConnection(socket);
  });
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');

  return {
    port: (listener.address() as AddressInfo).port,
    cutConnection(stream) {
      const peer = stream.getPeer();
      for (const socket of sockets) {
        if (peer === `${socket.remoteAddress}:${socket.remotePort}`) socket.destroy();
      }
    },
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      grpc.forceShutdown();
      injector.destroy();
      await closed;
    },
  };
}

/** The service grpc.health.v1, which always answers SERVING (field 1, value 1). */
const HEALTH_SERVICE = {
  check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: (request: Buffer) => request,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (response: Buffer) => response,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
} as const;

const answerServing: handleUnaryCall<Buffer, Buffer> = (_call, callback) =>
  callback(null, Buffer.from([8, 1]));
