import { expect, it } from 'vitest';
import { parseReact, type ReactResponse } from '../../src/engine/agent/strategies/react-parser/parse.ts';

/** The expected result of parsing a response. A field that is not given must be absent. */
export interface Expected {
  thought?: string;
  /** Server, tool and parameters. */
  call?: [server: string, tool: string, parameters: Record<string, unknown>];
  /** The final answer. */
  final?: string;
  unknown?: string;
  malformed?: string;
}

function expectedOf(response: ReactResponse): Expected {
  const { thought } = response;
  const base = thought === null ? {} : { thought };
  switch (response.kind) {
    case 'thought_action': {
      const { server, name, parameters } = response.call;
      return { ...base, call: [server, name.slice(`${server}.`.length), parameters] };
    }
    case 'final_answer':
      return { ...base, final: response.finalAnswer };
    case 'unknown_tool':
      return { ...base, unknown: response.name };
    case 'malformed':
      return { ...base, malformed: response.reason };
  }
}

/** Defines a test for each response and its expected parse. */
export const parseTests = (cases: readonly (readonly [input: string, expected: Expected])[]) =>
  it.each(cases)('%j', (input, expected) => {
    expect(expectedOf(parseReact(input))).toEqual(expected);
  });

/** Returns the expected parse of a call of the tool s.t with the input `x`, which most responses contain. */
export const ST = (thought?: string): Expected => ({
  ...(thought === undefined ? {} : { thought }),
  call: ['s', 't', { input: 'x' }],
});
