import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { plainSchema } from '../../scripts/lib/config-schemas.ts';
import { BUILTIN_MODELS } from '../../src/config/models.ts';
import { providersSchema, tarsySchema } from '../../src/config/schema.ts';
import { loadText } from '../fixtures/config/load-text.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const PAGES = globSync('docs/reference/configuration/*.md', { cwd: ROOT }).sort();

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Returns the paths of all keys below a schema, such as `agents.<name>.tools`. */
function pathsBelow(schema: Schema, path: string): string[] {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, child]) => {
      const key = path === '' ? name : `${path}.${name}`;
      return [key, ...pathsBelow(child, key)];
    }),
    ...(typeof additionalProperties === 'object' ? pathsBelow(additionalProperties, `${path}.<name>`) : []),
    ...(items ? pathsBelow(items, `${path}[]`) : []),
    ...[...anyOf, ...oneOf].flatMap((branch) => pathsBelow(branch, path)),
  ];
}

const KEYS = [tarsySchema, providersSchema].flatMap((schema) =>
  pathsBelow(plainSchema(schema) as Schema, ''),
);

/** Rows of all pages: the key, the meaning and the page. */
const ROWS = PAGES.flatMap((page) =>
  [...read(page).matchAll(/^\| `([^`]+)` \|.*\| (.*) \|$/gm)].map(([, key, meaning]) => ({
    key: key!,
    meaning: meaning!,
    page,
  })),
);

/** Returns the key under which the reference describes a path, following the rows that link to equal keys. */
function describedAs(path: string): string | null {
  if (ROWS.some(({ key }) => key === path)) return path;
  const parts = path.split(/(?=\.|\[\])/);
  for (let end = parts.length - 1; end >= 0; end -= 1) {
    const above = parts.slice(0, end).join('');
    const below = parts.slice(end).join('').replace(/^\./, '');
    const name = below.split(/[.[]/, 1)[0]!;
    for (const { meaning } of ROWS.filter(({ key }) => key === `${above}.…`)) {
      const same = /^The same keys as \[`([^`]+)`\]/.exec(meaning)?.[1];
      if (same !== undefined) return describedAs(`${same}.${below}`);
      const [, home, names] = /^Also keys of (.*?): (.*)$/.exec(meaning) ?? [];
      if (!names?.includes(`\`${name}\``)) continue;
      const around = /^`([^`]+)`$/.exec(home!)?.[1];
      return describedAs(`${around ?? '<level>'}.${below}`);
    }
  }
  return null;
}

test('every key of the configuration is described', () => {
  expect(KEYS.length).toBeGreaterThan(400);
  expect(KEYS.filter((key) => describedAs(key) === null)).toEqual([]);
  expect(describedAs('agent_chains.<name>.chat.sub_agents[].max_iterations')).toBe('<level>.max_iterations');
  expect(describedAs('access.teams.<name>.users')).toBe('access.roles.viewer.users');
  expect(describedAs('agents.<name>.nothing')).toBeNull();
});

test('every key has one row, on one page, with a meaning', () => {
  const keys = ROWS.map(({ key }) => key);
  const twice = ROWS.filter(({ key }, at) => !key.endsWith('.…') && keys.indexOf(key) !== at);
  expect(twice).toEqual([]);
  expect(ROWS.filter(({ meaning }) => meaning.trim() === '')).toEqual([]);
  const described = new Set(KEYS.map(describedAs));
  expect(keys.filter((key) => !key.endsWith('.…') && !described.has(key))).toEqual([]);
});

const EXAMPLES = [...PAGES, 'docs/how-to/configure/sub-agents.md'].flatMap((page) =>
  [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => [page, text!] as const),
);

test.each(EXAMPLES)('the example of %s is valid', async (_, text) => {
  const [tarsy, providers] = text.startsWith('llm_providers:') ? ['', text] : [text];
  const config = await loadText(tarsy!, {}, providers);
  expect(config.files).toHaveLength(providers === undefined ? 1 : 2);
  expect(config.warnings).toEqual([]);
});

test('the page of models lists every built-in provider with its model', () => {
  const rows = read('docs/how-to/configure/models.md').matchAll(
    /^\| `([^`]+)` \| (?:`([^`]+)`|\[fixed rules\].*) \| .* \|$/gm,
  );
  expect(Object.fromEntries([...rows].map(([, name, model]) => [name, model ?? 'offline']))).toEqual(
    Object.fromEntries(Object.entries(BUILTIN_MODELS).map(([name, { model }]) => [name, model])),
  );
});

test('the pages have examples', () => {
  expect(EXAMPLES.length).toBeGreaterThan(10);
});
