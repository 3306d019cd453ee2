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
