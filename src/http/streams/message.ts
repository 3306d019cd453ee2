import type { ExecutionResult } from 'graphql';

/** Encodes a result for one transport. The bytes are equal for all subscribers. */
export type Form = (json: string, result: ExecutionResult) => Buffer;

/** A live result that is executed and serialized once for all subscribers. */
export interface SharedMessage {
  /** The position of the item in the live stream, as `LiveListener` receives it. */
  readonly place: number;
  /** The length of the JSON (UTF-16 code units), used to limit buffered messages. */
  readonly size: number;
  /** Returns the encoded result; each encoding is made once. */
  as(form: Form): Buffer;
}

export function createMessage(result: ExecutionResult, place: number): SharedMessage {
  const json = JSON.stringify(result);
  const made = new Map<Form, Buffer>();
  return {
    place,
    size: json.length,
    as(form) {
      const bytes = made.get(form) ?? form(json, result);
      made.set(form, bytes);
      return bytes;
    },
  };
}
