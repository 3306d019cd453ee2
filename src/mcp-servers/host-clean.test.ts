import { access, chown, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ShippedServer, startHost } from '../../test/helpers/mcp/shipped-servers.ts';

const DAY_S = 86_400;
let around: string;
let folder: string;
let host: ShippedServer;

beforeEach(async () => {
  around = await mkdtemp(join(tmpdir(), 'host-clean-'));
  folder = join(around, 'reports');
  await mkdir(folder);
});
afterEach(async () => {
  await host.close();
  await rm(around, { recursive: true });
});

async function put(path: string, days: number): Promise<string> {
  await writeFile(path, 'x'.repeat(1024));
  const at = Date.now() / 1000 - days * DAY_S;
  await utimes(path, at, at);
  return path;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

it('is offered as a changing tool if a folder is configured', async () => {
  host = await startHost({ HOST_MCP_CLEAN_DIR: folder });
  const { tools } = await host.client.listTools();
  expect(tools.find(({ name }) => name === 'remove_old_files')).toMatchObject({
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    inputSchema: { additionalProperties: false },
  });
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint === false)).toHaveLength(1);
});

it.each(['relative', '/', '//', '/..'])('does not start with the folder "%s"', async (path) => {
  await expect(startHost({ HOST_MCP_CLEAN_DIR: path })).rejects.toThrow(/closed/i);
  host = await startHost();
});

it('removes old files of the folder, and nothing else', async () => {
  const old = await put(join(folder, 'old.csv'), 30);
  const kept = [
    await put(join(folder, 'new.csv'), 3),
    await put(join(around, 'outside.csv'), 30),
    await mkdir(join(folder, 'below')).then(() => put(join(folder, 'below', 'old.csv'), 30)),
  ];
  await symlink(kept[1]!, join(folder, 'link.csv'));
  host = await startHost({ HOST_MCP_CLEAN_DIR: `${folder}/` });
  const dry = await host.call('remove_old_files', { dry_run: true });
  expect(dry.text).toMatch(
    /^Would remove 1 file .* not written for 7 days, together 1\.0 KiB\.\n.*\n.* old\.csv$/,
  );
  expect(await isThere(old)).toBe(true);
  const done = await host.call('remove_old_files');
  expect(done).toMatchObject({ isError: false, text: expect.stringMatching(/^Removed 1 file from /) });
  expect(await isThere(old)).toBe(false);
  for (const path of [...kept, join(folder, 'link.csv')]) expect(await isThere(path)).toBe(true);
  const again = await host.call('remove_old_files', { older_than_days: 30 });
  expect(again.text).toBe(`No files in ${folder} were not written for 30 days.`);
});

it.skipIf(process.getuid?.() !== 0)('leaves files of other users', async () => {
  const theirs = await put(join(folder, 'theirs.csv'), 30);
  await chown(theirs, 1234, 1234);
  host = await startHost({ HOST_MCP_CLEAN_DIR: folder });
  expect((await host.call('remove_old_files')).text).toMatch(/^No files/);
  expect(await isThere(theirs)).toBe(true);
});

it('accepts no folder from the caller and does not follow a link in its place', async () => {
  host = await startHost({ HOST_MCP_CLEAN_DIR: folder });
  expect(await host.call('remove_old_files', { path: around })).toMatchObject({ isError: true });
  await rm(folder, { recursive: true });
  const elsewhere = join(around, 'elsewhere');
  await mkdir(elsewhere);
  const kept = await put(join(elsewhere, 'old.csv'), 30);
  await symlink(elsewhere, folder);
  expect(await host.call('remove_old_files')).toMatchObject({ isError: true });
  expect(await isThere(kept)).toBe(true);
});
