type Members = Record<string, unknown>;
export type RpcId = number | string | undefined;

/** The outcome that an agent must see. Without `content`, it is "gone well". */
export interface Outcome {
  isError: boolean;
  content: string | RegExp;
}

/** One way in which a real server differs from the protocol. Steps without an entry are correct. */
export interface WildMode {
  initialize?: (result: Members) => Members;
  list?: () => unknown;
  /** Returns the result of a tool call. */
  call?: () => unknown;
  /** Returns the message for each result, in place of a correct response. */
  answer?: (id: RpcId, result: unknown) => unknown;
  /** Returns all messages for a tool call, in place of a response; a list in it is a batch. */
  callMessages?: (id: RpcId) => unknown[];
  args?: Members;
  /** Arguments that models must be shown. */
  properties?: readonly string[];
  isShown?: (names: readonly string[]) => boolean;
  expected?: Outcome;
}
