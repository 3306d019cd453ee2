import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ShippedServer, startHost } from '../../test/helpers/mcp/shipped-servers.ts';

let folder: string;
let host: ShippedServer;
const log = (name: string) => join(folder, 'logs', name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-logs-'));
  await mkdir(join(folder, 'logs', 'sub'), { recursive: true });
  const lines = Array.from({ length: 20_000 }, (_, index) => `${index} INFO request ok`);
  lines[100] = '100 ERROR connection refused (a.b)';
  lines[19_998] = '19998 error axb';
  await writeFile(log('app.log'), `${lines.join('\n')}\n`);
  await writeFile(log('sub/other.log'), 'one\ntwo');
  await writeFile(log('config.yaml'), 'password: x');
  await writeFile(log('binary.log'), Buffer.from([1, 0, 2, 0]));
  await writeFile(log('zeros.log'), Buffer.concat([Buffer.from([1, 0, 2]), Buffer.alloc(2 ** 16)]));
  for (const rotated of ['.1', '-20261129', '.2026-11-29', '-20261129-1764374400'])
    await writeFile(log(`day.log${rotated}`), `rotated ${rotated}`);
  await writeFile(log('day.log.yaml'), 'password: x');
  // Emptied while a program that does not append had written 64 KiB: the space before its next line reads as NUL.
  await writeFile(log('emptied.log'), Buffer.concat([Buffer.alloc(2 ** 16), Buffer.from('first\nlast\n')]));
  await writeFile(log('backtrack.log'), `${'a'.repeat(4000)}\n`);
  await writeFile(join(folder, 'outside.log'), 'secret of elsewhere');
  await symlink(join(folder, 'outside.log'), log('link.log'));
  await mkdir(log('folder.log'));
  execFileSync('mkfifo', [log('pipe.log')]);
  host = await startHost({ HOST_MCP_LOG_DIRS: join(folder, 'logs') });
});

afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

describe('allowed files', () => {
  it('lists only logs', async () => {
    const { text } = await host.call('list_logs', { match: folder });
    expect(text).toContain(log('app.log'));
    expect(text).toContain(log('sub/other.log'));
    for (const rotated of ['.1', '-20261129', '.2026-11-29', '-20261129-1764374400'])
      expect(text).toContain(log(`day.log${rotated}`));
    expect(text).not.toMatch(/config\.yaml|day\.log\.yaml|link\.log|pipe\.log|folder\.log/);
  });

  it.each([
    ['a link that leads outside', () => log('link.log'), 'NOT_ALLOWED'],
    ['a name that is no log', () => log('config.yaml'), 'NOT_ALLOWED'],
    ['a path that climbs out', () => log('../outside.log'), 'NOT_ALLOWED'],
    ['a system file', () => '/etc/passwd', 'NOT_ALLOWED'],
    ['a directory', () => log('folder.log'), 'BAD_INPUT'],
    ['a named pipe', () => log('pipe.log'), 'BAD_INPUT'],
    ['a binary file', () => log('binary.log'), 'NOT_SUPPORTED'],
    ['a binary file with room at its end', () => log('zeros.log'), 'NOT_SUPPORTED'],
    ['a file that is not there', () => log('none.log'), 'NOT_FOUND'],
  ])('refuses %s', async (_, path, code) => {
    for (const [tool, args] of [
      ['tail_log', {}],
      ['search_log', { pattern: 'x' }],
    ] as const) {
      const { text, isError } = await host.call(tool, { path: path(), ...args });
      expect(isError).toBe(true);
      expect(text).toMatch(new RegExp(`^${code}: `));
      expect(text).not.toContain('secret of elsewhere');
    }
  });
});

describe('tail_log', () => {
  it('shows exactly the last lines', async () => {
    const { text } = await host.call('tail_log', { path: log('app.log'), lines: 2 });
    expect(text.split('\n').slice(1)).toEqual(['19998 error axb', '19999 INFO request ok']);
  });

  it('shows a short file whole by its relative path', async () => {
    const { text } = await host.call('tail_log', { path: 'sub/other.log' });
    expect(text.split('\n').slice(1)).toEqual(['one', 'two']);
  });

  it.each(['-20261129', '.2026-11-29'])('shows a log that was rotated to %s', async (rotated) => {
    const { text } = await host.call('tail_log', { path: log(`day.log${rotated}`) });
    expect(text.split('\n').slice(1)).toEqual([`rotated ${rotated}`]);
  });

  it('shows a log that was emptied while a program wrote it', async () => {
    const { text } = await host.call('tail_log', { path: log('emptied.log') });
    expect(text.split('\n').slice(1)).toEqual(['first', 'last']);
    const found = await host.call('search_log', { path: log('emptied.log'), pattern: '^first', regex: true });
    expect(found.text.split('\n')).toEqual([expect.stringContaining('1 of 2 lines'), 'first']);
  });

  it('truncates the result, keeps the newest lines and notes it', async () => {
    const wide = Array.from({ length: 1000 }, (_, index) => `${index} ${'w'.repeat(100)}`).join('\n');
    await writeFile(log('wide.log'), wide);
    const { text } = await host.call('tail_log', { path: log('wide.log'), lines: 1000 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
    expect(text).toMatch(/^\[output cut: last 32\.0 KiB of .* shown\]/);
    expect(text).toMatch(/\n999 w{100}$/);
  });
});

describe('search_log', () => {
  it('treats the pattern as plain text', async () => {
    const { text } = await host.call('search_log', { path: log('app.log'), pattern: '(a.b)' });
    expect(text).toContain('1 of 20000 lines');
    expect(text).toContain('\n100 ERROR connection refused (a.b)');
  });

  it('treats the pattern as a regular expression on request and shows the last matches', async () => {
    const args = { path: log('app.log'), pattern: '^\\d+ error', regex: true, limit: 1 };
    const { text } = await host.call('search_log', args);
    expect(text).toContain('2 of 20000 lines');
    expect(text.split('\n').slice(1)).toEqual(['19998 error axb']);
    const exact = await host.call('search_log', { ...args, ignore_case: false });
    expect(exact.text).toContain('1 of 20000 lines');
  });

  it('reports that nothing matches', async () => {
    const { text, isError } = await host.call('search_log', { path: log('app.log'), pattern: 'panic' });
    expect(isError).toBe(false);
    expect(text).toContain('No line of');
    expect(text).toContain('20000 lines searched');
  });

  it('refuses a broken regular expression', async () => {
    const { text, isError } = await host.call('search_log', {
      path: log('app.log'),
      pattern: '(',
      regex: true,
    });
    expect(isError).toBe(true);
    expect(text).toMatch(/^BAD_INPUT: pattern: /);
  });

  // The search gives up after 5 s.
  it('stops a pattern that backtracks without end and answers other calls meanwhile', async () => {
    const endless = host.call('search_log', { path: log('backtrack.log'), pattern: '^(a+)+$x', regex: true });
    const other = await host.call('search_log', { path: log('app.log'), pattern: 'axb' });
    expect(other.text).toContain('1 of 20000 lines');
    expect((await endless).text).toContain('Stopped after 5 s');
  });
});
