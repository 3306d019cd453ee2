import { z } from 'zod';
import { RunbookError } from './errors.ts';
import { filePageUrl, type GithubFolder, isMarkdown } from './github.ts';

/** A runbook that a responder can choose when submitting an alert. */
export interface ListedRunbook {
  /** The URL of the runbook's page on GitHub, as `submitAlert` accepts it. */
  url: string;
  /** The file's path within the configured folder. */
  name: string;
}

/** Used fields of GitHub's response. Mode 120000 is a symbolic link. */
const TREE = z.object({
  tree: z.array(z.object({ path: z.string(), type: z.string(), mode: z.string().optional() })),
  truncated: z.boolean().optional(),
});

const MAX_LISTED = 1000;

/** Returns the Markdown files of a folder at any depth, sorted by path. @throws RunbookError */
export function parseRunbookTree(
  json: string,
  folder: GithubFolder,
): { runbooks: ListedRunbook[]; isTruncated: boolean } {
  const { tree, truncated } = parseTree(json);
  const prefix = folder.path === '' ? '' : `${folder.path}/`;
  const paths = tree
    .filter(({ path, type, mode }) => type === 'blob' && mode !== '120000' && isMarkdown(path))
    .map(({ path }) => path)
    .filter((path) => path.startsWith(prefix))
    .sort();
  return {
    runbooks: paths
      .slice(0, MAX_LISTED)
      .map((path) => ({ url: filePageUrl(folder, path), name: path.slice(prefix.length) })),
    isTruncated: truncated === true || paths.length > MAX_LISTED,
  };
}

function parseTree(json: string): z.infer<typeof TREE> {
  try {
    return TREE.parse(JSON.parse(json));
  } catch (error) {
    throw new RunbookError('BAD_ANSWER', 'GitHub did not return a list of files', {
      cause: error,
    });
  }
}
