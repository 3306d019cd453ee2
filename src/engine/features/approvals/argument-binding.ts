import { createHash, randomUUID } from 'node:crypto';
import type { ApprovalRow } from '../../../db/entities/index.ts';
import type { NewApproval } from '../../store/approvals.ts';

/** Returns JSON with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}

/** @param salt makes the hash useless for trying out values; omitted if the arguments are no secret */
export function hashOfCall(server: string, tool: string, args: unknown, ...salt: readonly unknown[]): string {
  return sha256(canonicalJson([server, tool, args, ...salt]));
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

/**
 * Binds a request to the arguments of its call. If masking changed them, they are sealed with a random salt: viewers who may
 * not see them see the hash, and could otherwise try out values until the hash fits.
 */
export function bindArguments(
  { server, tool, arguments: masked }: Pick<BoundCall, 'server' | 'tool' | 'arguments'>,
  whole: unknown,
  seal: (data: Uint8Array) => string,
): Pick<NewApproval, 'sealedArguments' | 'argumentsHash'> {
  if (canonicalJson(masked) === canonicalJson(whole))
    return { sealedArguments: null, argumentsHash: hashOfCall(server, tool, whole) };
  const salt = randomUUID();
  return {
    sealedArguments: seal(Buffer.from(JSON.stringify([whole, salt]))),
    argumentsHash: hashOfCall(server, tool, whole, salt),
  };
}

/** Returns the unmasked arguments of a call; `null` if they cannot be decrypted or their hash is not the request's. */
export function boundArguments(
  { server, tool, arguments: masked, sealedArguments, argumentsHash }: BoundCall,
  open: (sealed: string) => Uint8Array | null,
): unknown {
  let args = masked;
  let salt: unknown[] = [];
  if (sealedArguments !== null && sealedArguments !== undefined) {
    const bytes = open(sealedArguments);
    const opened: unknown = bytes === null ? null : JSON.parse(Buffer.from(bytes).toString('utf8'));
    [args, ...salt] = Array.isArray(opened) ? opened : [opened]; // requests of earlier versions have no salt
  }
  return args !== null && hashOfCall(server, tool, args, ...salt) === argumentsHash ? args : null;
}
