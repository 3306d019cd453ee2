import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInterfaceType, isObjectType, NoDeprecatedCustomRule, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from './index.ts';

const root = join(import.meta.dirname, '../..');

const deprecated = Object.values(schema.getTypeMap())
  .filter((type) => (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__'))
  .flatMap((type) =>
    Object.values('getFields' in type ? type.getFields() : {}).map((field) => ({ type, field })),
  )
  .flatMap(({ type, field }) =>
    'deprecationReason' in field && field.deprecationReason
      ? [{ name: `${type.name}.${field.name}`, reason: field.deprecationReason }]
      : [],
  );

it('names the replacement and the removal date of everything deprecated', () => {
  expect(deprecated.length).toBeGreaterThan(0);
  for (const { reason } of deprecated) expect(reason).toMatch(/Use \w+.*not before \d{4}-\d{2}-\d{2}\./);
});

it('lists everything deprecated in docs/reference/api.md', () => {
  const page = readFileSync(join(root, 'docs/reference/api.md'), 'utf8');
  expect(deprecated.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
});

it('uses nothing deprecated in the dashboard', () => {
  const files = globSync('web/src/**/*.graphql', { cwd: root });
  const documents = parse(files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n'));
  expect(validate(schema, documents, [NoDeprecatedCustomRule]).map(({ message }) => message)).toEqual([]);
});
