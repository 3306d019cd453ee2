import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** Digits of the commit hash; enough to be unique in any repository. */
const DIGITS = 12;
/** Milliseconds that git may take, so that it cannot delay a start. */
const GIT_TIMEOUT_MS = 2000;

/**
 * Returns the version of this build in semantic versioning: package.json's version, plus `+` and the commit if known, such
 * as `0.1.0+1a2b3c4d5e6f`, plus `.dirty` if the checkout has uncommitted changes.
 * @param commit commit of the image; `null` = use the commit of the checkout, if there is one
 */
export function buildVersion(commit: string | null, root = ROOT): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const build = commit?.slice(0, DIGITS) ?? checkoutCommit(root);
  return build === null ? version : `${version}+${build}`;
}

/** Returns the commit of the checkout; `null` without a checkout or without git. */
function checkoutCommit(root: string): string | null {
  const gitDir = join(root, '.git');
  if (!existsSync(gitDir)) return null;
  const { GIT_INDEX_FILE: _index, ...env } = process.env; // set if a git hook runs TARSy
  const arguments_ = [
    '--no-optional-locks',
    `--git-dir=${gitDir}`, // without it, git would also search parent folders
    `--work-tree=${root}`,
    'describe',
    '--always',
    '--exclude=*',
    `--abbrev=${DIGITS}`,
    '--dirty=.dirty',
  ];
  try {
    return execFileSync('git', arguments_, {
      cwd: root,
      env,
      encoding: 'utf8',
      timeout: GIT_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
