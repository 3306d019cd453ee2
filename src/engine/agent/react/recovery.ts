import { bareToolName } from './tool-name.ts';

/**
 * Finds the name of an action whose header was not written as one: the word `Action` at a line's end with the name
 * on the next line, or before the name on the same line. The last one counts.
 */
export interface ActionRecovery {
  /** A line of text is complete. @param line its end at least, as far as two names reach */
  line(line: string): void;
  name(): string | null;
}

const WORD = 'Action';
const AFTER_WORD = /^[*`_]*[ \t]*[:：]?[*`\s]*/;

export function createRecovery(): ActionRecovery {
  let name: string | null = null;
  let isNext = false;
  return {
    line(line) {
      const word = lastWord(line);
      if (word === null && !isNext) return;
      const rest = (word === null ? line : line.slice(word)).replace(AFTER_WORD, '').trimEnd();
      if (word !== null) isNext = rest === '';
      else if (rest !== '') isNext = false;
      if (rest !== '' || word !== null) name = bareToolName(rest);
    },
    name: () => name,
  };
}

/** Where the last `Action` of a line ends; null without. */
function lastWord(line: string): number | null {
  for (let at = line.lastIndexOf(WORD); at >= 0; at = line.lastIndexOf(WORD, at - 1)) {
    const end = at + WORD.length;
    if (!isWordCharacter(line[at - 1]) && !isWordCharacter(line[end])) return end;
    if (at === 0) break;
  }
  return null;
}

const isWordCharacter = (character: string | undefined) => character !== undefined && /\w/.test(character);
