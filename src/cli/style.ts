/** How text looks on this output; the identity where colours are not wanted. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  cyan(text: string): string;
}

/** Colours on a terminal only, and never when NO_COLOR is set (no-color.org) or the terminal is dumb. */
export function createStyle(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  const enabled = isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = (on: number, off: number) => (text: string) =>
    enabled && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    cyan: paint(36, 39),
  };
}
