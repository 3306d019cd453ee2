import { expect, test } from 'vitest';
import { type FittingMessage, weightOf, weightOfMessage, weightOfTools } from './token-estimate.ts';

const rows = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join('\n');

/**
 * Texts like those of tools, each with the greatest token count of four tokenizers (o200k, cl100k, Gemini's, which counts
 * each digit, and an old one of Claude), measured on 2026-11-23.
 */
const MEASURED: [what: string, text: string, tokens: number][] = [
  [
    'prose',
    'The connection pool of the payments service was exhausted, because a query without an index held connections for seconds. '.repeat(
      20,
    ),
    422,
  ],
  [
    'log lines',
    rows(
      40,
      (n) =>
        `2026-11-23T11:${10 + n}:07.${100 + n * 7}Z ERROR [worker-${n % 7}] db.pool refused host=10.0.${n}.17 port=5432 trace=${((n * 2654435761) >>> 0).toString(16)}`,
    ),
    2463,
  ],
  [
    'a table of pods',
    rows(
      40,
      (n) =>
        `payments   api-${(n * 40503 + 65536).toString(16)}-x${n}f9z   1/1   CrashLoopBackOff   ${n * 3} (${n}m ago)   ${n}d   10.244.${n}.${n * 3}   node-${n % 5}`,
    ),
    2196,
  ],
  [
    'metrics',
    rows(
      40,
      (n) =>
        `container_memory_working_set_bytes{pod="api-${n}",namespace="payments"} ${n * 982451653} ${1700000000000 + n * 15000}`,
    ),
    1889,
  ],
  ['numbers', rows(40, (n) => [1, 2, 3, 4, 5, 6].map((m) => (n * m * 1.2345).toFixed(3)).join(' ')), 1736],
  [
    'JSON',
    JSON.stringify(
      Array.from({ length: 40 }, (_, n) => ({
        id: n,
        name: `svc-${n}`,
        ready: n % 2 === 0,
        labels: { app: 'api', tier: 'web' },
      })),
    ),
    1063,
  ],
  ['YAML', rows(40, (n) => `  - name: svc-${n}\n    ports:\n      - containerPort: ${8000 + n}`), 950],
  [
    'hexadecimal',
    rows(40, (n) =>
      [1, 2, 3, 4].map((m) => (((n + 1) * m * 2654435761) >>> 0).toString(16).padStart(8, '0')).join('-'),
    ),
    1289,
  ],
  [
    'base64',
    Buffer.from(Array.from({ length: 2000 }, (_, n) => (n * n * 31 + n * 7) % 256)).toString('base64'),
    1876,
  ],
  [
    'a stack trace',
    rows(
      40,
      (n) =>
        `    at com.example.payments.PaymentServiceImpl$$Lambda$${n * 37}.process(PaymentServiceImpl.java:${n * 13})`,
    ),
    1159,
  ],
  ['Chinese', '磁盘空间不足，数据库连接失败，请检查配置。'.repeat(30), 570],
  ['Russian', 'Диск переполнен, соединение с базой данных потеряно. '.repeat(30), 751],
  ['emoji', '🚨🔥✅ failed '.repeat(60), 541],
  [
    'one letter each',
    rows(20, (n) => [...'thequickbrownfox'].map((letter, m) => (m % 3 === n % 3 ? letter : 'x')).join(' ')),
    340,
  ],
];

test.each(MEASURED)('bounds the tokens of %s', (_, text, tokens) => {
  expect(weightOf(text) / 3).toBeGreaterThanOrEqual(tokens * 0.95);
  expect(weightOf(text) / 3).toBeLessThan(tokens * 2.5);
});

test('weighs a copied message by its own content', () => {
  const whole: FittingMessage = { role: 'TOOL', content: 'a long result '.repeat(100) };
  expect(weightOfMessage(whole)).toBe(weightOf(whole.content));
  expect(weightOfMessage({ ...whole, content: 'gone' })).toBe(weightOf('gone'));
  expect(weightOfMessage(whole)).toBe(weightOf(whole.content));
});

test('weighs tools by their JSON', () => {
  const [one, other] = ['one', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  for (const tools of [[one, other], [other], [one, other, { ...one, name: 'a third one' }]])
    expect(weightOfTools(tools as object[])).toBeCloseTo(weightOf(JSON.stringify(tools)), -1);
  expect(weightOfTools([])).toBe(0);
});
