type Members = Record<string, unknown>;
export type RpcId = number | string | undefined;

/** The outcome of the tool call that the agent must see. Default: no error, with the content "gone well". */
export interface Outcome {
  isError: boolean;
  content: string | RegExp;
}

/**
 * One way in which a real server differs from the protocol. Steps that the mode does not define are correct.
 */
export interface WildMode {
  initialize?: (result: Members) => Members;
  list?: () => unknown;
  /** Returns the result of a tool call. */
  call?: () => unknown;
  /** Returns the message for each result, in place of a correct response. */
  answer?: (id: RpcId, result: unknown) => unknown;
  /** Returns all messages for a tool call, in place of a response. A list among them is sent as a batch. */
  callMessages?: (id: RpcId) => unknown[];
  args?: Members;
  /** Arguments of the tool that the model must be told about. */
  properties?: readonly string[];
  isShown?: (names: readonly string[]) => boolean;
  expected?: Outcome;
}
