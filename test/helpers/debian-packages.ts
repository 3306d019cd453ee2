import { execFile } from 'node:child_process';
import { access, mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/debian-packages');

/**
 * Unpacks Debian packages into a folder without installing them, or returns why that failed.
 * @returns `run`: builds the command line of a program that finds its files as if installed; `root`: the folder
 */
export async function unpackDebianPackages(
  packages: readonly string[],
): Promise<{ run(program: string): string[]; root: string } | { missing: string }> {
  const root = join(CACHE, packages.join('+'));
  const command = `mount --bind ${root}/usr/share /usr/share && exec "$@"`;
  const found = {
    root,
    run: (program: string) => ['unshare', '-rm', 'sh', '-c', command, 'sh', join(root, 'usr/bin', program)],
  };
  try {
    await access(join(root, 'usr/share'));
    return found;
  } catch {
    // not downloaded yet
  }
  try {
    await mkdir(root, { recursive: true });
    await run('unshare', ['-rm', 'true']);
    await run('apt-get', ['download', ...packages], { cwd: root, timeout: 120_000 });
    for (const name of await readdir(root))
      if (name.endsWith('.deb')) await run('dpkg-deb', ['-x', join(root, name), root]);
    return found;
  } catch (error) {
    return {
      missing: `Debian's ${packages.join(', ')} cannot be had here: ${String(error).split('\n', 1)[0]}`,
    };
  }
}
