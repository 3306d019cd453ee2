import { join } from 'node:path';
import type { MethodDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { GenerateRequest, GenerateResponse } from './gen/llm_service.ts';

/** A message to send. A field that is `null` or missing has its default. */
export type Sent<Message> = Message extends Uint8Array
  ? Uint8Array
  : Message extends readonly (infer Item)[]
    ? readonly Sent<Item>[]
    : Message extends object
      ? { readonly [Key in keyof Message]?: Sent<Message[Key]> | null | undefined }
      : Message;

interface LlmService {
  Generate: MethodDefinition<Sent<GenerateRequest>, GenerateResponse>;
}

const PROTO = join(import.meta.dirname, '../../../proto/llm_service.proto');

export const SERVICE_NAME = 'llm.v1.LLMService';

export const LLM_SERVICE = loadSync(PROTO, { enums: Number, longs: Number, defaults: true })[
  SERVICE_NAME
] as unknown as LlmService;
