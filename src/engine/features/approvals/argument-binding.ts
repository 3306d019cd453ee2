import { createHash } from 'node:crypto';
import type { ApprovalRow } from '../../../db/entities/index.ts';

/** JSON in which what is equal is written equally: the keys of objects are sorted. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}

/** What an approval is bound to. */
export function hashOfCall(server: string, tool: string, args: unknown): string {
  return sha256(canonicalJson([server, tool, args]));
}

/** The tool as it is offered: a tool that was changed since is another one. */
export function hashOfSchema(schema: unknown): string {
  return sha256(canonicalJson(schema));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type Held = Pick<ApprovalRow, 'server' | 'tool' | 'arguments' | 'sealedArguments' | 'argumentsHash'>;

/**
 * The whole arguments of a call; null when they are not those for which people were asked, or cannot be opened here.
 * @param open what is sealed with the installation's key; null = it cannot be
 */
export function boundArguments(
  { server, tool, arguments: masked, sealedArguments, argumentsHash }: Held,
  open: (sealed: string) => Uint8Array | null,
): unknown {
  const whole =
    sealedArguments === null || sealedArguments === undefined ? masked : opened(open(sealedArguments));
  return whole !== null && hashOfCall(server, tool, whole) === argumentsHash ? whole : null;
}

function opened(bytes: Uint8Array | null): unknown {
  return bytes === null ? null : JSON.parse(Buffer.from(bytes).toString('utf8'));
}
