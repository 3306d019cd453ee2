import { ToolFailure } from '../../tool/failure.ts';
import { type Change, changeId, type Window } from '../change.ts';
import { GIT_DEPTH, type Repository } from '../git/repository.ts';

/** Maximum number of changed files that a summary names. */
const MAX_FILES = 4;

export interface FoundCommits {
  changes: Change[];
  /** Repositories or parts of their history that could not be read. */
  problems: string[];
}

/**
 * Returns the commits of the configured repositories. A commit is near the workload if it changes a file whose path
 * contains the workload's name, or names it in its subject. Commits change nothing until they are deployed.
 */
export async function findCommits(
  repositories: readonly Repository[],
  { window, workload, signal }: { window: Window; workload: string | null; signal: AbortSignal },
): Promise<FoundCommits> {
  const found = await Promise.all(
    repositories.map(async (repository): Promise<FoundCommits> => {
      const { name } = repository.settings;
      try {
        const commits = await repository.log(window, signal);
        const cutAt = await repository.cutAt(signal);
        const isCut = cutAt !== null && cutAt > window.since;
        return {
          changes: commits.map(({ sha, time, author, subject, paths }) => ({
            id: changeId('commit', name, sha.slice(0, 12)),
            time,
            kind: 'commit',
            object: `repository ${name}`,
            summary: `${sha.slice(0, 12)} ${subject} (${filesLabel(paths)})`,
            by: author || null,
            nearness: names([subject, ...paths], workload) ? 'near' : 'other',
          })),
          problems: isCut ? [`repository ${name}: only the last ${GIT_DEPTH} commits were read`] : [],
        };
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        return { changes: [], problems: [`repository ${name}: ${error.message.replace(/\.$/, '')}`] };
      }
    }),
  );
  return {
    changes: found.flatMap(({ changes }) => changes),
    problems: found.flatMap(({ problems }) => problems),
  };
}

function filesLabel(paths: readonly string[]): string {
  const more = paths.length - MAX_FILES;
  return paths.length === 0
    ? 'no files'
    : `${paths.slice(0, MAX_FILES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** True if a text contains the workload's name as a whole word. */
function names(texts: readonly string[], workload: string | null): boolean {
  if (workload === null) return false;
  const word = new RegExp(`(?<![A-Za-z0-9-])${workload.replace(/[^A-Za-z0-9-]/g, '\\$&')}(?![A-Za-z0-9-])`);
  return texts.some((text) => word.test(text));
}
