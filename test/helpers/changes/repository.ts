import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A checkout with a branch `main`, in a temporary folder. */
export interface TestRepository {
  path: string;
  /** Writes the files (`null` removes one) and commits them. @returns the id of the commit */
  commit(files: Record<string, string | Buffer | null>, options: CommitOptions): string;
  git(...args: string[]): string;
  remove(): void;
}

export interface CommitOptions {
  time: string;
  message: string;
  author?: string;
}

export function makeRepository(): TestRepository {
  const path = mkdtempSync(join(tmpdir(), 'changes-repository-'));
  const run = (args: string[], env: Record<string, string> = {}) =>
    execFileSync('git', args, {
      cwd: path,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  run(['init', '--quiet', '--initial-branch=main']);
  return {
    path,
    commit(files, { time, message, author = 'Alice' }) {
      for (const [name, content] of Object.entries(files)) {
        const file = join(path, name);
        mkdirSync(dirname(file), { recursive: true });
        if (content === null) rmSync(file);
        else writeFileSync(file, content);
      }
      run(['add', '--all']);
      const identity = {
        GIT_AUTHOR_NAME: author,
        GIT_AUTHOR_EMAIL: 'a@example.com',
        GIT_COMMITTER_NAME: author,
        GIT_COMMITTER_EMAIL: 'a@example.com',
      };
      run(['commit', '--quiet', '--allow-empty', '-m', message], {
        ...identity,
        GIT_AUTHOR_DATE: time,
        GIT_COMMITTER_DATE: time,
      });
      return run(['rev-parse', 'HEAD']);
    },
    git: (...args) => run(args),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
