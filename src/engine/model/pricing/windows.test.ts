import { expect, it } from 'vitest';
import { knownWindow } from './catalogue.ts';

const window = (
  type: Parameters<typeof knownWindow>[0]['type'],
  model: string,
  baseUrl: string | null = null,
) => knownWindow({ type, model, baseUrl });

it('comes from the catalogue', () => {
  expect(window('anthropic', 'claude-3-5-haiku-20241022')).toBe(200_000);
  expect(window('openai', 'gpt-4o')).toBe(128_000);
});

it("is the input part if the catalogue's window includes the output", () => {
  expect(window('openai', 'gpt-5')).toBe(272_000);
});

it('is the default of the type behind a configured address, where the name may mislead', () => {
  expect(window('openai', 'gpt-5', 'http://127.0.0.1/v1')).toBe(
    window('openai', 'unheard-of', 'http://127.0.0.1/v1'),
  );
  expect(window('azure', 'gpt-4o', 'https://ours.openai.azure.com')).toBe(128_000); // Azure has no other addresses
  expect(window('openai', 'unheard-of')).toBe(window('openai', 'unheard-of-too'));
});
