import { describe, expect, it } from 'vitest';
import { isEmptyArgs, toolCallFacts } from './tool-call.ts';

describe('toolCallFacts', () => {
  it('reads server, tool, arguments and outcome', () => {
    const metadata = {
      server_name: 'host',
      tool_name: 'disk_usage',
      arguments: { path: '/' },
      is_error: true,
    };
    const facts = { name: 'host.disk_usage', args: { path: '/' }, isError: true, isInterrupted: false };
    expect(toolCallFacts(metadata)).toEqual(facts);
  });

  it('recognizes an interrupted call', () => {
    expect(toolCallFacts({ is_error: true, interrupted: true }).isInterrupted).toBe(true);
  });

  it('parses arguments from a JSON string, and keeps text that is not JSON', () => {
    expect(toolCallFacts({ arguments: '{"a":1}' }).args).toEqual({ a: 1 });
    const { args } = toolCallFacts({ arguments: '{"trace":5768263873461203457}' });
    expect(JSON.stringify(args)).toBe('{"trace":5768263873461203457}');
    expect(toolCallFacts({ arguments: '{"a":' }).args).toBe('{"a":');
  });

  it('does not repeat the server in the name', () => {
    expect(toolCallFacts({ server_name: 'host', tool_name: 'host.memory' }).name).toBe('host.memory');
  });

  it.each([null, undefined, 'text', 5, [], {}])('returns neutral values for %j', (metadata) => {
    expect(toolCallFacts(metadata)).toEqual({
      name: 'Tool call',
      args: null,
      isError: false,
      isInterrupted: false,
    });
  });
});

describe('isEmptyArgs', () => {
  it.each([null, '', {}, []])('treats %j as empty', (args) => {
    expect(isEmptyArgs(args)).toBe(true);
  });

  it.each([{ a: 1 }, 'x', 0, false])('treats %j as arguments', (args) => {
    expect(isEmptyArgs(args)).toBe(false);
  });
});
