import { createHash } from 'node:crypto';
import type { ApprovalRow } from '../../../db/entities/index.ts';

/** Returns JSON with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}

export function hashOfCall(server: string, tool: string, args: unknown): string {
  return sha256(canonicalJson([server, tool, args]));
}

/**
 * Returns the hash of a tool's input schema, to detect a tool that changed after its approval was requested.
 */
export function hashOfSchema(schema: unknown): string {
  return sha256(canonicalJson(schema));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type BoundCall = Pick<ApprovalRow, 'server' | 'tool' | 'arguments' | 'sealedArguments' | 'argumentsHash'>;

/** Returns the unmasked arguments of a call; `null` if they cannot be decrypted or their hash is not the request's. */
export function boundArguments(
  { server, tool, arguments: masked, sealedArguments, argumentsHash }: BoundCall,
  open: (sealed: string) => Uint8Array | null,
): unknown {
  let args = masked;
  if (sealedArguments !== null && sealedArguments !== undefined) {
    const bytes = open(sealedArguments);
    args = bytes === null ? null : JSON.parse(Buffer.from(bytes).toString('utf8'));
  }
  return args !== null && hashOfCall(server, tool, args) === argumentsHash ? args : null;
}
