/** A range of a text in UTF-16 code units; `end` is exclusive. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}
