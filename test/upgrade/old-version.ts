import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import type { TarsyProcess } from '../helpers/process.ts';

const run = promisify(execFile);

/** An earlier version of TARSy, with the functions of its own tests that start it. */
export interface OldVersion {
  startProcess(role: 'api' | 'worker', env: Record<string, string>): Promise<TarsyProcess>;
  testConfig(options: Record<string, unknown>): Record<string, unknown>;
  writeConfig(config: Record<string, unknown>): Promise<string>;
}

/** Returns why there is no version to upgrade from; `null` if there is one. */
export function whyNoOldVersion(commit: string | undefined): string | null {
  if (commit === undefined) return 'UPGRADE_FROM names no commit';
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return null;
  } catch {
    return `the git history here has no ${commit}`;
  }
}

/**
 * Checks a commit out into a folder of its own and installs its packages. Later runs use the folder again.
 */
export async function oldVersion(commit: string): Promise<OldVersion> {
  const dir = join(tmpdir(), `tarsy-version-${commit}`);
  const complete = join(dir, '.complete');
  if (!existsSync(complete)) {
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir);
    const archive = `${dir}.tar`;
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: ROOT });
    await run('tar', ['--extract', '--file', archive], { cwd: dir });
    await rm(archive);
    await run('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: dir });
    await writeFile(complete, '');
  }
  const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(join(dir, path)).href);
  return { ...(await load('test/helpers/process.ts')), ...(await load('test/helpers/config.ts')) };
}
