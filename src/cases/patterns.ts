import { RE2JS } from 're2js';

/** Returns a function that tests texts against an expectation: a regular expression that ignores case. */
export function compileExpectation(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
  return (text) => compiled.matcher(text).find();
}

/** Returns why an expectation is no valid regular expression; `null` if it is one. */
export function patternProblem(pattern: string): string | null {
  try {
    compileExpectation(pattern);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `bad regular expression (RE2): ${reason}`;
  }
}
