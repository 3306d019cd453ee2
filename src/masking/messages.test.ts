import { expect, test } from 'vitest';
import { maskLogLine, maskMessage } from './messages.ts';

test.each([
  ['Incorrect API key provided: sk-Ex4mpleOnlyEx4mpleOnly77', 'Incorrect API key provided: [MASKED_API_KEY]'],
  ['connect postgres://app:Syn7hetic@db failed', 'connect postgres://app:[MASKED_PASSWORD]@db failed'],
  ['Authorization: Bearer Ex4mpleOnly7Zq2Ex4', 'Authorization: Bearer [MASKED_TOKEN]'],
])('masks only the secrets of a message: %s', (message, masked) => {
  expect(maskMessage(message)).toBe(masked);
});

test('keeps a log line valid JSON', () => {
  const line = (reason: string) =>
    `${JSON.stringify({ level: 30, sessionId: 'a-1', reason, msg: 'tried again' })}\n`;
  expect(maskLogLine(line('login as app failed: "password": "Syn7hetic!"'))).toBe(
    line('login as app failed: "password": "[MASKED_PASSWORD]"'),
  );
  const harmless = line(
    'sessionId 019356ab-0000-7000-8000-000000000001, user ana@example.com, 5 of 7 tokens',
  );
  expect(maskLogLine(harmless)).toBe(harmless);
});

test('replaces a line that cannot be masked', () => {
  const notText = { length: 1 } as unknown as string;
  expect(JSON.parse(maskLogLine(notText))).toMatchObject({ msg: expect.stringContaining('withheld') });
});
