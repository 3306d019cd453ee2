import { expect, it } from 'vitest';
import { knownWindow } from './catalogue.ts';

const window = (
  type: Parameters<typeof knownWindow>[0]['type'],
  model: string,
  baseUrl: string | null = null,
) => knownWindow({ type, model, baseUrl });

it('is that of the catalogue', () => {
  expect(window('anthropic', 'claude-3-5-haiku-20241022')).toBe(200_000);
  expect(window('openai', 'gpt-4o')).toBe(128_000);
});

it('is what a model reads, where its window is for what it writes too', () => {
  expect(window('openai', 'gpt-5')).toBe(272_000);
});

it('behind an address of one’s own is the usual one of the type: the model need not be what its name says', () => {
  expect(window('openai', 'gpt-5', 'http://127.0.0.1/v1')).toBe(
    window('openai', 'unheard-of', 'http://127.0.0.1/v1'),
  );
  expect(window('openai', 'unheard-of')).toBe(window('openai', 'unheard-of-too'));
});
