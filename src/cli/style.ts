import { styleText } from 'node:util';

type Format = 'bold' | 'dim' | 'red' | 'green' | 'cyan';

/** Functions that style a text. Each returns the text unchanged if colours are off. */
export type Style = Readonly<Record<Format, (text: string) => string>>;

/** Creates styles. Colours are on for a terminal, unless NO_COLOR is set (no-color.org) or TERM is `dumb`. */
export function createStyle(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  const enabled = isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = (format: Format) => (text: string) =>
    enabled && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    cyan: paint('cyan'),
  };
}
