import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** Digits of a commit's hash that tell it apart in any repository. */
const DIGITS = 12;
/** Milliseconds for git to read one commit; a start does not wait longer for a name. */
const GIT_TIMEOUT_MS = 2000;

/**
 * Which build this is, as semantic versioning writes it: package.json's version, `+` and the commit where it is known, such
 * as `0.1.0+1a2b3c4d5e6f`; `.dirty` behind it when files of the checkout were changed since.
 * @param commit of the image; null = that of the checkout, if this is one
 */
export function buildVersion(commit: string | null, root = ROOT): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const build = commit?.slice(0, DIGITS) ?? checkedOut(root);
  return build === null ? version : `${version}+${build}`;
}

/** Null where there is no checkout or no git. */
function checkedOut(root: string): string | null {
  const gitDir = join(root, '.git');
  if (!existsSync(gitDir)) return null;
  const { GIT_INDEX_FILE: _index, ...env } = process.env; // of a hook that started us
  const arguments_ = [
    '--no-optional-locks',
    `--git-dir=${gitDir}`, // else git would also look in the folders above
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
