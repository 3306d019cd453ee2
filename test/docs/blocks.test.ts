import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, parse as parseGraphql, validate } from 'graphql';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { type Block, blocksOf } from '../../scripts/commands/blocks.ts';
import { quickBlocks } from '../../scripts/commands/page-script.ts';
import { commandPages } from '../../scripts/commands/pages.ts';
import { runPage } from '../../scripts/commands/run-page.ts';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import { ConfigError } from '../../src/config/errors.ts';
import { loadConfig } from '../../src/config/load.ts';

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT }).toSorted()];
const at = (page: string, { line }: Block) => `${page}:${line}`;
/** Keys at the top of tarsy.yaml and llm-providers.yaml. Other YAML is for other programs. */
const KEYS = ['tarsy', 'llm-providers'].flatMap((name) =>
  Object.keys((JSON.parse(read(`deploy/config/${name}.schema.json`)) as { properties: object }).properties),
);

const KEYS_OF_PROVIDERS = { ANTHROPIC_API_KEY: 'a', GOOGLE_API_KEY: 'g', OPENAI_API_KEY: 'o' };

/** Returns the blocks of all pages in a language, except those that say why they are not checked. */
const blocksIn = (language: string) =>
  PAGES.flatMap((page) =>
    blocksOf(read(page))
      .filter((block) => block.language === language && block.notRun === null)
      .map((block) => ({ page, block, where: at(page, block) })),
  );

test.each(PAGES)('%s names the language of each block', (page) => {
  expect(
    blocksOf(read(page))
      .filter(({ language }) => language === '')
      .map((block) => at(page, block)),
  ).toEqual([]);
});

test.each(blocksIn('json').filter(({ block }) => !block.title.includes('handlebars')))(
  'the JSON of $where can be read',
  ({ block }) => {
    expect(() => JSON.parse(block.text)).not.toThrow();
  },
);

const schema = buildSchema(read('schema.graphql'));
test.each(blocksIn('graphql'))('the GraphQL of $where fits the schema', ({ block }) => {
  expect(validate(schema, parseGraphql(block.text)).map(({ message }) => message)).toEqual([]);
});

test.each(blocksIn('yaml'))(
  'the YAML of $where can be read, and a configuration is valid',
  async ({ block }) => {
    const documents = parseAllDocuments(block.text);
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const written: unknown = documents[0]?.toJS();
    if (!isMapping(written) || !Object.keys(written).some((key) => KEYS.includes(key))) return;
    const context: unknown = block.checkedWith === null ? {} : parse(block.checkedWith);
    expect(await problemsOf(merged(context, written))).toBeNull();
  },
);

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns two configurations as one. Values of `over` replace those of `base`. */
function merged(base: unknown, over: unknown): unknown {
  if (!isMapping(base) || !isMapping(over)) return over;
  const both = Object.entries(over).map(([key, value]) => [key, merged(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(both) };
}

/** Returns what a start would refuse in a configuration; `null` if it is valid. */
async function problemsOf(config: unknown): Promise<string | null> {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-block-'));
  try {
    const { llm_providers, ...others } = config as Record<string, unknown>;
    writeFileSync(join(dir, 'tarsy.yaml'), stringify(others));
    if (llm_providers) writeFileSync(join(dir, 'llm-providers.yaml'), stringify({ llm_providers }));
    const names = stringify(config).matchAll(/(?:\{\{\.|_env:(?:\n? +- )? ?)(\w+)/g);
    const env = Object.fromEntries([...names].map(([, name]) => [name, sampleOf(name!)]));
    await loadConfig({ dir, env: { ...KEYS_OF_PROVIDERS, ...env, CONFIG_DIR: dir } });
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Returns a value that a setting with this variable accepts. */
function sampleOf(name: string): string {
  const text = '0123456789abcdef'.repeat(3);
  if (name.endsWith('_SECRET')) return `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  return name.endsWith('_URL') ? `https://hooks.example.com/${text}` : text;
}

const quick = commandPages().map((page) => ({ page, blocks: quickBlocks(blocksOf(read(page))) }));
test.each(quick.filter(({ blocks }) => blocks.length > 0))(
  'the commands of $page that need no started TARSy succeed',
  async ({ page, blocks }) => {
    const { code, output } = await runPage({ page, blocks, linksPackages: true });
    expect(code, output).toBe(0);
  },
);

test('a command that fails is noticed, and names its block', async () => {
  const text = '# A page\n\n```sh\necho first\n```\n\n```sh\nfalse\necho never\n```\n';
  const { code, output } = await runPage({ page: 'a.md', blocks: blocksOf(text), linksPackages: true });
  expect(code).not.toBe(0);
  expect(output).toContain('▸ a.md:7');
  expect(output).not.toContain('never');
});

test.each([
  '{"errors":[{"message":"Syntax Error"}]}',
  '{"data":{"submitAlert":{"__typename":"TooManyAlertsError"}}}',
])('the answer %s fails a page', async (answer) => {
  const text = `\`\`\`sh\necho '${answer}'\n\`\`\`\n`;
  expect((await runPage({ page: 'a.md', blocks: blocksOf(text), linksPackages: true })).code).toBe(1);
});

test('a command that stays open is stopped, and fails if it printed nothing', {
  timeout: 180_000,
}, async () => {
  const run = (command: string) =>
    runPage({
      page: 'a.md',
      blocks: blocksOf(`<!-- stopped after 5 s -->\n\`\`\`sh\n${command}\ntail -f /dev/null\n\`\`\`\n`),
      linksPackages: true,
    });
  expect(await run('echo opened')).toMatchObject({ code: 0, output: expect.stringContaining('opened') });
  expect((await run('true')).code).not.toBe(0);
});

test('a comment above a block excludes it with its reason', () => {
  const text =
    '<!-- not run: needs a cluster -->\n\n```sh\nkubectl get pods\n```\n\n<!-- stopped after 5 s -->\n```sh\ntail -f x\n```\n';
  expect(blocksOf(text).map(({ line, notRun, stopAfter }) => [line, notRun, stopAfter])).toEqual([
    [3, 'needs a cluster', null],
    [8, null, 5],
  ]);
});
