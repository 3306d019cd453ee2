import type { ExecutionResult } from 'graphql';

/** What one transport sends of a result: its bytes, the same for every subscriber. */
export type Form = (json: string, result: ExecutionResult) => Buffer;

/** A live result that was executed and serialized once for all who subscribe to it. */
export interface SharedMessage {
  /** See LiveListener. */
  readonly place: number;
  /** Length of the JSON, in UTF-16 code units: what it weighs while it waits. */
  readonly size: number;
  /** The result in this form, made with its first use. */
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
