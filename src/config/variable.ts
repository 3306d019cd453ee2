/** An environment variable that a program of TARSy reads. Texts are Markdown; links start at docs/reference. */
export interface Variable {
  /** Value of an unset variable, written as in the environment; `null` if the variable then has no value. */
  readonly fallback: string | null;
  /** Effect of an unset variable whose `fallback` is `null`. */
  readonly unset?: string;
  readonly meaning: string;
}
