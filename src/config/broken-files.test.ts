import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BROKEN_SECTIONS } from '../../test/fixtures/config/broken-sections.ts';
import { BROKEN_VALUES } from '../../test/fixtures/config/broken-values.ts';
import { configFolder } from '../../test/fixtures/config/load-text.ts';
import { ConfigError } from './errors.ts';
import { loadConfig } from './load.ts';

const CASES = Object.entries({ ...BROKEN_VALUES, ...BROKEN_SECTIONS });

test.each(CASES)('%s', async (_, { message, env = {}, ...files }) => {
  const dir = await configFolder(files);
  const error: unknown = await loadConfig({ dir, env }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).code).toBe('CONFIG_INVALID');
  expect((error as ConfigError).message).toBe(message.replaceAll('DIR', dir));
});

test('reports a file that is not UTF-8 text', async () => {
  const dir = await configFolder();
  await writeFile(join(dir, 'tarsy.yaml'), Buffer.from([0x61, 0xff, 0x3a]));
  await expect(loadConfig({ dir, env: {} })).rejects.toMatchObject({
    message: `The configuration has 1 problem:\n  ${dir}/tarsy.yaml: is not UTF-8 text`,
    issues: [{ file: `${dir}/tarsy.yaml`, line: 0, column: 0, path: '' }],
  });
});

test('a missing folder is an error only if CONFIG_DIR is set', async () => {
  const dir = join(await configFolder(), 'nowhere');
  const config = await loadConfig({ dir, env: {} });
  expect(config.files).toEqual([]);
  await expect(loadConfig({ dir, env: { CONFIG_DIR: dir } })).rejects.toMatchObject({
    message: `The configuration has 1 problem:\n  ${dir}: CONFIG_DIR: there is no such folder`,
  });
});
