import { describe, expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';

describe('positions of problems', () => {
  // Each layout is a file whose wrong value must be reported with its line and column.
  const layouts = {
    block: (value: string) => `queue:\n  max_attempts: ${value}\n`,
    flow: (value: string) => `{ queue: { max_attempts: ${value} } }\n`,
    commented: (value: string) => `# é ß 漢 𝄞\n\nqueue: # 漢\n\n    # x\n    max_attempts:   ${value} # y\n`,
    'carriage returns': (value: string) => `queue:\r\n  max_attempts: ${value}\r\n`,
    'quoted key': (value: string) => `"queue":\n  'max_attempts': ${value}\n`,
    'own line': (value: string) => `queue:\n  max_attempts:\n    ${value}\n`,
    'after a template': (value: string) => `queue: { session_timeout: '{{.T}}', max_attempts: ${value} }\n`,
    alias: (value: string) => `queue: &q\n  max_concurrent_sessions: 1\n  max_attempts: ${value}\n`,
  };
  const values = ['WRONG', '"WRONG"', "'WRONG'"];
  const rows = Object.entries(layouts).flatMap(([name, layout]) =>
    values.map((value) => [name, value, layout] as const),
  );

  test.each(rows)('%s, %s', async (_, value, layout) => {
    const text = layout(value);
    const lines = text.split(/\r?\n/);
    const line = lines.findIndex((candidate) => candidate.includes(value));
    await expect(loadText(text, { T: '40m' })).rejects.toMatchObject({
      issues: [{ line: line + 1, column: lines[line]!.indexOf(value) + 1, path: 'queue.max_attempts' }],
    });
  });
});

describe('text that begins with an asterisk and has no quotes', () => {
  test('is reported where it stands, beside other problems', async () => {
    const text = `mcp_servers:
  a:
    transport: { type: sse, url: http://a }
    read_only_tools: [get_*, *_list]
    changing_tools:
      - *_delete
queue: { max_attempts: none, max_concurrent_sessions: *some }
`;
    const reason = 'is an alias without an anchor before it; text that begins with * needs quotes';
    await expect(loadText(text)).rejects.toMatchObject({
      issues: [
        { line: 4, column: 30, path: 'mcp_servers.a.read_only_tools[1]', message: `*_list ${reason}` },
        { line: 6, column: 9, path: 'mcp_servers.a.changing_tools[0]', message: `*_delete ${reason}` },
        { line: 7, path: 'queue.max_attempts' },
        { line: 7, column: 55, path: 'queue.max_concurrent_sessions', message: `*some ${reason}` },
      ],
    });
  });

  test('is explained if YAML refuses it', async () => {
    const message = /alias.*; text that begins with \* needs quotes$/;
    const text = 'schedules:\n  hourly:\n    cron: */5 * * * *\n';
    await expect(loadText(text)).rejects.toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ line: 3, message: expect.stringMatching(message) }),
      ]),
    });
  });

  test('is no problem after its anchor', async () => {
    await expect(
      loadText('queue: { max_attempts: &n 3, max_concurrent_sessions: *n }\n'),
    ).resolves.toMatchObject({
      queue: { maxAttempts: 3, maxConcurrentSessions: 3 },
    });
  });
});
