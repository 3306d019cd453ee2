/** A documented error code. Texts are Markdown; links start at docs/reference. */
export interface ErrorCode {
  /** Form of the answer: an HTTP status, or the GraphQL type of a mutation's result. */
  readonly answer?: string;
  readonly cause: string;
  readonly remedy: string;
}

export type ErrorCodes = Readonly<Record<string, ErrorCode>>;
