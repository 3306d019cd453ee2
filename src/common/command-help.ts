import { parseArgs } from 'node:util';

/** An option of a command. `--help` (`-h`) is an option of every command. */
export interface CommandOption {
  /** Placeholder of the option's value, such as `PATH`; none for a switch. */
  readonly value?: string;
  readonly meaning: string;
  readonly short?: string;
  /** True if the option may be repeated. */
  readonly multiple?: true;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** The description of a command: its `--help`, its parser and its part of docs/reference/cli.md. */
export interface CommandHelp<Options extends CommandOptions = CommandOptions> {
  /** Command line without arguments, such as `npm run token`. */
  readonly command: string;
  /** One sentence without the period. */
  readonly summary: string;
  /** Arguments of each form of the command; empty if the command takes none. */
  readonly usage: readonly string[];
  /** Paragraphs about the arguments. */
  readonly details: readonly string[];
  readonly options: Options;
  /** Variables that the command reads, other than those that every process reads; links are not possible here. */
  readonly environment: Readonly<Record<string, string>>;
  readonly exits: Readonly<Record<number, string>>;
  /** Complete command lines. */
  readonly examples: readonly string[];
}

/** Longest line of a help text (characters). */
const WIDTH = 100;

/** Returns the text that `--help` prints. */
export function renderHelp(help: CommandHelp): string {
  const { summary, details, environment, exits, examples } = help;
  return [
    usageLines(help).map((line, at) => `${at === 0 ? 'Usage: ' : '       '}${line}`),
    [`${summary}.`],
    ...details.map((text) => wrap(text, 0)),
    list('Options', optionsOf(help)),
    list('Environment', Object.entries(environment)),
    list('Exit status', Object.entries(exits)),
    examples.length === 0 ? [] : ['Examples', ...examples.map((line) => `  ${line}`)],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** Returns each form of the command as a complete command line. */
export function usageLines({ command, usage }: CommandHelp): string[] {
  return usage.length === 0 ? [command] : usage.map((args) => `${command} -- ${args}`);
}

/** Returns the options as they are written, such as `--file PATH`, each with its meaning. */
export function optionsOf({ options }: CommandHelp): [written: string, meaning: string][] {
  const own = Object.entries(options).map(([name, { value, meaning, short }]): [string, string] => {
    const written = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return [value === undefined ? written : `${written} ${value}`, meaning];
  });
  return [...own, ['-h, --help', 'print this text']];
}

type Parsed<Options extends CommandOptions> = {
  [Name in keyof Options]: {
    type: Options[Name] extends { value: string } ? 'string' : 'boolean';
    multiple: Options[Name] extends { multiple: true } ? true : false;
  };
} & { help: { type: 'boolean' } };

/** Parses a command line. @throws TypeError for an unknown option or a missing value */
export function parseCommand<Options extends CommandOptions>(
  { options }: CommandHelp<Options>,
  argv: readonly string[],
) {
  const own = Object.entries(options).map(([name, { value, short, multiple = false }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', multiple, ...(short && { short }) },
  ]);
  const config = { ...Object.fromEntries(own), help: { type: 'boolean', short: 'h' } };
  return parseArgs({ args: [...argv], allowPositionals: true, options: config as Parsed<Options> });
}

function list(title: string, entries: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...entries.map(([name]) => name.length)) + 4;
  const lines = entries.flatMap(([name, meaning]) => {
    const [first, ...more] = wrap(meaning, width);
    return [`  ${name}`.padEnd(width) + first!.trimStart(), ...more];
  });
  return entries.length === 0 ? [] : [title, ...lines];
}

/** Breaks a text into lines, indented by `indent` spaces. */
function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) lines.push(' '.repeat(indent) + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
