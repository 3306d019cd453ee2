/** What may be chosen, and what it is called. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  /** What stands at its end, such as how many there are of it. */
  readonly note?: string | undefined;
}
