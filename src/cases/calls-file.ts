import { type CaseCall, caseCall, MAX_CALLS } from './document.ts';
import { CaseError, checked, type Locate } from './errors.ts';

/**
 * Parses a file with one call as JSON on each line.
 * @returns the calls, and the line of each, under the paths that they have in a document
 * @throws CaseError
 */
export function parseCallsFile(file: string, text: string): { calls: CaseCall[]; locate: Locate } {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length > MAX_CALLS) {
    const message = `has ${lines.length} calls; at most ${MAX_CALLS} are allowed`;
    throw new CaseError([{ file, line: MAX_CALLS + 1, path: '', message }]);
  }
  const calls = lines.map((line, index) => {
    const place = { file, line: index + 1 };
    return checked<CaseCall>(caseCall, parseLine(line, place), () => place);
  });
  const locate: Locate = ([part, index]) => ({ file, line: part === 'calls' ? Number(index) + 1 : 0 });
  return { calls, locate };
}

function parseLine(line: string, place: { file: string; line: number }): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    const message = `is not JSON: ${(error as SyntaxError).message}`;
    throw new CaseError([{ ...place, path: '', message }]);
  }
}
