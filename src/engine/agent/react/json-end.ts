/**
 * Finds the end of an action's input, line by line: behind the object's last bracket nothing belongs to it.
 * @returns where in the line it has not begun yet, or has ended; -1 = nowhere
 */
export function createJsonEnd(): (line: string) => number {
  let place: 'before' | 'inside' | 'behind' | 'other' = 'before';
  let isFenced = false;
  let depth = 0;
  let inString = false;
  let isEscaped = false;

  /** A fence with a language may stand before the object. */
  function begin(sign: string): void {
    if (sign === '{' || sign === '[') {
      place = 'inside';
      depth = 1;
    } else if (sign === '`') isFenced = true;
    else if (!/\s/.test(sign) && !(isFenced && /\w/.test(sign))) place = 'other';
  }

  function follow(sign: string): void {
    if (isEscaped) isEscaped = false;
    else if (inString && sign === '\\') isEscaped = true;
    else if (sign === '"') inString = !inString;
    else if (inString) return;
    else if (sign === '{' || sign === '[') depth += 1;
    else if ((sign === '}' || sign === ']') && --depth === 0) place = 'behind';
  }

  return (line) => {
    if (place === 'behind') return 0;
    const isObservation = place === 'before' && !isFenced && /^\s*Observation[ \t]?[:：]/.test(line);
    for (let at = 0; at < line.length && place !== 'other'; at++) {
      if (place === 'before') begin(line[at]!);
      else follow(line[at]!);
      // The compiler does not see that the functions set it.
      if ((place as string) === 'behind') return at + 1;
    }
    return isObservation || place === 'before' ? 0 : -1;
  };
}
