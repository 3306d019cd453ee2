import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { renderSchemas } from './config-schemas.ts';

const files = renderSchemas().map((file) => [basename(file.path), file] as const);

test.each(files)('%s: strict, described, and a template may stand for any value', (_, { text }) => {
  const schema = JSON.parse(text);
  expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
  expect(schema.additionalProperties).toBe(false);
});

test('a number has its limits and its default, and may be a template', () => {
  const schema = JSON.parse(files[0]![1].text);
  expect(schema.properties.queue.properties.max_attempts).toEqual({
    description:
      'Workers that a session may lose to crashes or lost connections before it fails; requeues at a shutdown do not count',
    default: 3,
    anyOf: [
      { type: 'integer', minimum: 1, maximum: 20 },
      { type: 'string', pattern: '\\{\\{' },
    ],
  });
});
