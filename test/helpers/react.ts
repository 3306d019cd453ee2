import { expect, it } from 'vitest';
import { parseReact, type ReactResponse } from '../../src/engine/agent/strategies/react-parser/parse.ts';

/** What a row expects: fields that are not named are not there. */
export interface Expected {
  thought?: string;
  /** Server, tool, parameters. */
  call?: [server: string, tool: string, parameters: Record<string, unknown>];
  /** The answer. */
  final?: string;
  unknown?: string;
  malformed?: string;
}

function expectedOf(response: ReactResponse): Expected {
  const { thought } = response;
  const base = thought === null ? {} : { thought };
  switch (response.kind) {
    case 'thought_action': {
      const { server, tool, parameters } = response.call;
      return { ...base, call: [server, tool, parameters] };
    }
    case 'final_answer':
      return { ...base, final: response.finalAnswer };
    case 'unknown_tool':
      return { ...base, unknown: response.name };
    case 'malformed':
      return { ...base, malformed: response.reason };
  }
}

/** A test for each response and what it means. */
export const rows = (cases: readonly (readonly [input: string, expected: Expected])[]) =>
  it.each(cases)('%j', (input, expected) => {
    expect(expectedOf(parseReact(input))).toEqual(expected);
  });

/** The call of s.t with `x`, which most rows about the form hold. */
export const ST = (thought?: string): Expected => ({
  ...(thought === undefined ? {} : { thought }),
  call: ['s', 't', { input: 'x' }],
});
