import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMIT_DIGITS = 12;

/**
 * Returns package.json's version and the commit if known, such as `0.1.0+1a2b3c4d5e6f`, plus `.dirty` if the checkout has
 * uncommitted changes.
 * @param commit commit of the image; `null` uses that of the checkout
 */
export function buildVersion(commit: string | null, root = ROOT): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const build = commit?.slice(0, COMMIT_DIGITS) ?? checkoutCommit(root);
  return build === null ? version : `${version}+${build}`;
}

/** Returns the commit of the git checkout; `null` without a checkout or without git. */
function checkoutCommit(root: string): string | null {
  const gitDir = join(root, '.git');
  if (!existsSync(gitDir)) return null;
  const { GIT_INDEX_FILE: _index, ...env } = process.env; // drops a variable that git sets if a git hook runs TARSy
  const arguments_ = [
    '--no-optional-locks',
    `--git-dir=${gitDir}`, // otherwise git would also search parent folders
    `--work-tree=${root}`,
    'describe',
    '--always',
    '--exclude=*',
    `--abbrev=${COMMIT_DIGITS}`,
    '--dirty=.dirty',
  ];
  try {
    return execFileSync('git', arguments_, {
      cwd: root,
      env,
      encoding: 'utf8',
      timeout: 2000, // git must not delay a start
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
