import type { ExecutionResult } from 'graphql';

/** Encodes a result for one transport. The bytes are equal for all subscribers. */
export type Encoding = (json: string, result: ExecutionResult) => Buffer;

/** A live result that is executed and serialized once for all subscribers. */
export interface SharedMessage {
  /** The position of the item in the live stream, as `LiveListener` receives it. */
  readonly position: number;
  /** The length of the JSON (UTF-16 code units), used to limit buffered messages. */
  readonly size: number;
  encode(encoding: Encoding): Buffer;
}

export function createMessage(result: ExecutionResult, position: number): SharedMessage {
  const json = JSON.stringify(result);
  const made = new Map<Encoding, Buffer>();
  return {
    position,
    size: json.length,
    encode(encoding) {
      const bytes = made.get(encoding) ?? encoding(json, result);
      made.set(encoding, bytes);
      return bytes;
    },
  };
}
