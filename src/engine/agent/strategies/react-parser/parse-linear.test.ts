import { it } from 'vitest';
import { expectLinear } from '../../../../../test/helpers/cpu-time.ts';
import { parseReact } from './parse.ts';

const SIZE = 100_000;
const repeat = (part: string, head = '') => head + part.repeat(Math.ceil(SIZE / part.length));

/** Adversarial texts by name. They repeat patterns that make a parser look ahead, look back or start again. */
const ADVERSARIAL: Record<string, (size: number) => string> = Object.fromEntries(
  Object.entries({
    'one line': repeat('x', 'Thought: '),
    spaces: `${repeat(' ', 'Thought: a')}b`,
    'spaces at line starts': repeat(`${' '.repeat(70)}\n`),
    newlines: repeat('\n', 'Thought: a'),
    'sentences without space': repeat('a.', 'Thought: '),
    'boundaries and marks': repeat('. ` * ', 'Thought: '),
    'long marks': repeat(`.${' `*'.repeat(20)}`, 'Thought: '),
    'actions inside a line': repeat('.Action: ', 'Thought: '),
    'actions inside a line with names': repeat('x.Action: a.b', 'Thought: '),
    'actions with long names': repeat(`.Action: ${'a'.repeat(200)}`, 'Thought: '),
    'actions with blank lines': repeat(`.Action:${'\n'.repeat(300)}`, 'Thought: '),
    'final answers': repeat('Final Answer: x\n'),
    'final answers inside a line': repeat('x.Final Answer: ', 'Thought: '),
    thoughts: repeat('Thought: x\n'),
    'action lines': repeat('Action: a.b\n'),
    'one action line': repeat('action ', 'Action: a.b '),
    'marks before inputs': repeat('**', 'Action: a.b '),
    'actions in an answer': repeat('Action: a.b\n', 'Final Answer: x\n'),
    'actions in an answer that are none': repeat('Action: a b\n', 'Final Answer: x\n'),
    'lower case actions': repeat('action: a b\n', 'Thought: x\n'),
    'words for the recovery': repeat('Action ', 'Thought: '),
    'lines for the recovery': repeat('Action\nb\n', 'Thought: '),
    'observations that are quoted': repeat('Observation: Error in reasoning\n', 'Thought: x\n'),
    'headers that begin': repeat('Final Answe\n', 'Thought: x\n'),
    hashes: repeat('#', 'Thought: x\n'),
    'stars at line starts': repeat('***\n', 'Thought: x\n'),
    'open emphasis': repeat('** ', '**Thought: '),
    'a name that never ends': repeat('a', 'Action: '),
    'a dotted name': `${repeat('a.', 'Action: ')}\nAction Input: x`,
    parentheses: `${repeat('(', 'Action: a.b')}\nAction Input:`,
    'input lines': repeat('a: 1\n', 'Action: a.b\nAction Input: '),
    'input spaces': `${repeat(' ', 'Action: a.b\nAction Input: ```json')}x`,
    'input newlines': `${repeat('\n', 'Action: a.b\nAction Input: ```')}x`,
    'input brackets': repeat('[', 'Action: a.b\nAction Input: '),
    'input braces': repeat('{"a":', 'Action: a.b\nAction Input: '),
    'input quotes': repeat('a: "', 'Action: a.b\nAction Input: '),
    'input commas': repeat(', a', 'Action: a.b\nAction Input: a: 1'),
    'input dashes': repeat('- ', 'Action: a.b\nAction Input: '),
    'input values': repeat('a: {} ', 'Action: a.b\nAction Input: '),
    'input texts': repeat('a: "x", ', 'Action: a.b\nAction Input: '),
    'inputs that are objects': repeat('Action Input: {"a": 1}\n', 'Action: a.b\n'),
    'quotation marks': repeat(' "a', 'Thought: '),
    'quotations and headers': repeat('"a"\nAction: b\n', 'Thought: '),
    'headers before a quotation': repeat('Final Answe: x\nThought: ', 'Thought: '),
    'input fences': repeat('\n```x', 'Action: a.b\nAction Input: ```'),
    'inputs again': repeat('Action Input: x\n', 'Action: a.b\n'),
    'yaml as large as it is read': `Action: a.b\nAction Input: x:\n${'  - {a: [1, b]}\n'.repeat(500)}`,
    'repeated keys': `Action: a.b\nAction Input: ${'l:\n- a\n'.repeat(1000)}`,
  }).map(([name, text]) => [name, (size: number) => text.slice(0, size)]),
);

it.each(Object.entries(ADVERSARIAL))('parses adversarial text in linear time: %s', (_, make) => {
  expectLinear(make, parseReact, SIZE);
});
