import { LineCounter, parseDocument } from 'yaml';
import { errorMessage } from '../common/error-message.ts';
import { CaseError, type Locate } from './errors.ts';

/** A parsed YAML file, with the line of each value. */
export interface YamlFile {
  data: unknown;
  locate: Locate;
}

/**
 * Parses a YAML file of a case. Aliases are refused, because nested ones expand without end.
 * @param file its name in messages
 * @throws CaseError
 */
export function parseYaml(file: string, text: string): YamlFile {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const problems = [...document.errors, ...document.warnings];
    if (problems.length > 0)
      throw new CaseError(
        problems.map(({ pos, message }) => ({ file, line: lineAt(pos[0]), path: '', message })),
      );
    const locate: Locate = (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true) as { range?: [number] } | undefined;
        if (node?.range) return { file, line: lineAt(node.range[0]) };
      }
      return { file, line: 1 };
    };
    return { data: document.toJS({ maxAliasCount: 0 }), locate };
  } catch (error) {
    if (error instanceof CaseError) throw error;
    const isAlias = error instanceof ReferenceError;
    const message = isAlias ? 'aliases (*name) are not allowed; write the value out' : errorMessage(error);
    throw new CaseError([{ file, line: 1, path: '', message: `cannot be read: ${message}` }]);
  }
}
