import { type Logger, pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { createMasking, WITHHELD_RESULT } from './masking.ts';

const logged: { level: number; msg: string }[] = [];
const logger: Logger = pino(
  { level: 'debug' },
  { write: (line: string) => void logged.push(JSON.parse(line)) },
);
beforeEach(() => void logged.splice(0));

const TEXT = 'password: Syn7hetic!\nmail a@example.com\nticket AB-12345\n';

const serverWith = (masking: string) =>
  `mcp_servers:\n  s:\n    transport: { type: stdio, command: x }\n    data_masking: ${masking}\n`;

async function maskWith(masking: string, text = TEXT): Promise<string> {
  return createMasking(await loadText(serverWith(masking)), logger).maskToolResult('s', text);
}

test('masks results by the groups, patterns and expressions of their server', async () => {
  expect(await maskWith('{ pattern_groups: [basic] }')).toBe(
    'password: [MASKED_PASSWORD]\nmail a@example.com\nticket AB-12345\n',
  );
  expect(await maskWith('{ patterns: [email] }')).toBe(
    'password: Syn7hetic!\nmail [MASKED_EMAIL]\nticket AB-12345\n',
  );
  expect(
    await maskWith(
      `{ pattern_groups: [basic], custom_patterns: [{ pattern: '(?i)(ticket) ab-\\d+', replacement: '$1 [MASKED_TICKET]' }] }`,
    ),
  ).toBe('password: [MASKED_PASSWORD]\nmail a@example.com\nticket [MASKED_TICKET]\n');
  expect(await maskWith('{ enabled: false, pattern_groups: [all] }')).toBe(TEXT);
});

test('masks the security group and Secrets when masking is enabled without patterns', async () => {
  expect(await maskWith('{ enabled: true }')).toBe(
    'password: [MASKED_PASSWORD]\nmail [MASKED_EMAIL]\nticket AB-12345\n',
  );
  expect(await maskWith('{}', 'kind: Secret\nmetadata: {}\ndata:\n  a: c3ludGhldGlj\n')).toContain(
    'a: [MASKED_SECRET_DATA]',
  );
});

test('masks the result of an unknown server', async () => {
  const masking = createMasking(await loadText(''), logger);
  expect(masking.maskToolResult('nobody', TEXT)).toContain('password: [MASKED_PASSWORD]');
});

test('withholds a result when an expression takes too long, without logging it', async () => {
  const masked = await maskWith(
    `{ custom_patterns: [{ pattern: '(a+)+b' }] }`,
    `Syn7hetic ${'a'.repeat(60)}`,
  );
  expect(masked).toBe(WITHHELD_RESULT);
  expect(logged).toMatchObject([{ level: 50, msg: 'masking a tool result failed' }]);
  expect(JSON.stringify(logged)).not.toContain('Syn7hetic');
});

test('masks alerts by the default group', async () => {
  const alert = async (settings: string) =>
    createMasking(await loadText(`defaults:\n  alert_masking: ${settings}\n`), logger).maskAlert(TEXT);
  expect(await alert('{}')).toBe('password: [MASKED_PASSWORD]\nmail [MASKED_EMAIL]\nticket AB-12345\n');
  expect(await alert('{ pattern_group: basic }')).toBe(
    'password: [MASKED_PASSWORD]\nmail a@example.com\nticket AB-12345\n',
  );
  expect(await alert('{ enabled: false }')).toBe(TEXT);
});

test('keeps an alert when masking fails, and warns', async () => {
  const states: boolean[] = [];
  const masking = createMasking(await loadText(''), logger, (works) => states.push(works));
  masking.maskAlert(TEXT);
  // Not a string, so that masking fails at once.
  const notText = { length: 1 } as unknown as string;
  expect(masking.maskAlert(notText)).toBe(notText);
  expect(masking.maskAlert(notText)).toBe(notText);
  expect(states).toEqual([true, false]);
  expect(masking.maskAlert('fine')).toBe('fine');
  expect(states).toEqual([true, false, true]);
  const kept = { level: 40, msg: 'masking an alert failed, kept unmasked' };
  expect(logged).toMatchObject([kept, kept]);
  expect(masking.maskToolResult('nobody', notText)).toBe(WITHHELD_RESULT);
});

test('masks any text by the given groups and patterns', async () => {
  const { maskText } = createMasking(await loadText(''), logger);
  expect(maskText(TEXT, { groups: ['basic'], patterns: ['email'] })).toBe(
    'password: [MASKED_PASSWORD]\nmail [MASKED_EMAIL]\nticket AB-12345\n',
  );
  expect(maskText(TEXT, {})).toBe(TEXT);
});

test.each([
  ['chat_masking', 'maskChat'],
  ['runbook_masking', 'maskRunbook'],
] as const)('%s has its own group and throws on failure', async (key, mask) => {
  const masking = async (settings: string) =>
    createMasking(await loadText(`defaults:\n  ${key}: ${settings}\n`), logger)[mask];
  expect((await masking('{}'))(TEXT)).toBe(
    'password: [MASKED_PASSWORD]\nmail [MASKED_EMAIL]\nticket AB-12345\n',
  );
  expect((await masking('{ pattern_group: basic }'))(TEXT)).toContain('mail a@example.com');
  expect((await masking('{}'))('kind: Secret\nmetadata: {}\ndata:\n  a: c3ludGhldGlj\n')).not.toContain(
    'c3ludGhldGlj',
  );
  expect((await masking('{ enabled: false }'))(TEXT)).toBe(TEXT);
  const failing = await masking('{}');
  expect(() => failing({ length: 1 } as unknown as string)).toThrow();
});

test('detects placeholders, including those of an operator’s expressions', async () => {
  const own = `{ custom_patterns: [{ pattern: 'AB-(\\d+)', replacement: 'TICKET-$1-x' }] }`;
  const { isMasked, maskToolResult } = createMasking(await loadText(serverWith(own)), logger);
  expect(isMasked(maskToolResult('nobody', TEXT))).toBe(true);
  expect(isMasked(maskToolResult('s', 'AB-123'))).toBe(true);
  expect(isMasked(TEXT)).toBe(false);
  const removed = `{ custom_patterns: [{ pattern: 'AB-(\\d+)', replacement: '$1' }] }`;
  expect(createMasking(await loadText(serverWith(removed)), logger).isMasked(TEXT)).toBe(false);
});
