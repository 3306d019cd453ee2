import { expect, test } from 'vitest';
import { COMMANDS, usage } from '../commands.ts';
import { type CommandHelp, parseCommand, renderHelp } from './command-help.ts';

const COPY = {
  command: 'npm run copy',
  summary: 'Copies a file',
  usage: ['FROM TO'],
  details: ['FROM is a path.'],
  options: {
    mode: { value: 'MODE', short: 'm', meaning: `mode of the copy, ${'as a number '.repeat(9)}at last` },
    note: { value: 'TEXT', multiple: true, meaning: 'a note' },
    force: { meaning: 'overwrite' },
  },
  environment: { COPY_DIR: 'folder' },
  exits: { 0: 'done', 2: 'wrong usage' },
  examples: ['npm run copy -- a b'],
} as const satisfies CommandHelp;

test('the help names usage, options, variables, exit statuses and examples', () => {
  expect(renderHelp(COPY)).toBe(`Usage: npm run copy -- FROM TO

Copies a file.

FROM is a path.

Options
  -m, --mode MODE  mode of the copy, as a number as a number as a number as a number as a number as
                   a number as a number as a number as a number at last
  --note TEXT      a note
  --force          overwrite
  -h, --help       print this text

Environment
  COPY_DIR  folder

Exit status
  0  done
  2  wrong usage

Examples
  npm run copy -- a b
`);
});

test('the parser accepts exactly the options of the help', () => {
  const { values, positionals } = parseCommand(COPY, ['a', '-m', '7', '--note', 'x', '--note', 'y', 'b']);
  expect(positionals).toEqual(['a', 'b']);
  expect(values).toEqual({ mode: '7', note: ['x', 'y'] });
  expect(parseCommand(COPY, ['-h']).values).toEqual({ help: true });
  expect(() => parseCommand(COPY, ['--forced'])).toThrow("Unknown option '--forced'");
  expect(() => parseCommand(COPY, ['--mode'])).toThrow('argument missing');
});

test('the list of commands names each with its summary, and no help has a long line', () => {
  for (const [name, help] of Object.entries(COMMANDS)) {
    expect(usage()).toMatch(new RegExp(`^  ${name} +${help.summary.replaceAll('*', '\\*')}$`, 'm'));
    const long = renderHelp(help)
      .split('\n')
      .filter((line) => line.length > 120);
    expect(long).toEqual([]);
  }
});
