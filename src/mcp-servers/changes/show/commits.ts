import { maySecretBeIn } from '../../../masking/kubernetes/coarse.ts';
import type { Sources } from '../collect.ts';
import { diffTexts } from '../diff.ts';
import type { ChangedFile, Repository } from '../git/repository.ts';
import { withoutUser } from '../sources/argo.ts';
import { goneFailure } from './context.ts';

/** Maximum number of files whose difference is shown. */
const MAX_FILES = 40;
/** Largest file that is compared (bytes). */
const MAX_FILE_BYTES = 256 * 1024;
/** The differences end after this length (characters); the rest of the files is listed by name. */
const MAX_DIFF = 24_000;

/** Shows the difference that one commit made to the branch. */
export async function showCommit(
  sources: Sources,
  parts: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const [name, revision] = parts as [string, string];
  const repository = sources.repositories.find(({ settings }) => settings.name === name);
  const sha = (await repository?.find(revision, signal)) ?? null;
  if (!repository || sha === null) throw goneFailure(`commit ${revision} of repository ${name}`);
  const before = await repository.parentOf(sha, signal);
  return `Commit ${sha} of repository ${name}.\n${await diffRange(repository, { before, after: sha, folder: null }, signal)}`;
}

/** A range of commits that a delivery tool deployed. */
export interface DeployedRange {
  /** URL of the repository, as the tool names it; `null` if unknown. */
  url: string | null;
  before: string | null;
  after: string;
  /** Folder that the tool deploys; `null` for all. */
  folder: string | null;
}

/** Shows the files that differ between two deployed revisions, if their repository is configured. */
export async function showDeployed(
  { repositories }: Sources,
  { url, before, after, folder }: DeployedRange,
  signal: AbortSignal,
): Promise<string> {
  const repository = repositories.find(({ settings }) => url !== null && isSame(url, settings));
  if (!repository)
    return `The files are not known: ${url === null ? 'the repository' : withoutUser(url)} is not in CHANGES_MCP_GIT_REPOSITORIES.`;
  const [from, to] = [
    before === null ? null : await repository.find(before, signal),
    await repository.find(after, signal),
  ];
  if (to === null || from === null)
    return `The files are not known: the fetched commits of repository ${repository.settings.name} do not contain ${to === null ? after : (before ?? 'the revision before')}.`;
  return `Files of repository ${repository.settings.name}${folder === null ? '' : ` in ${folder}`}:\n${await diffRange(repository, { before: from, after: to, folder }, signal)}`;
}

/** True if a URL names the configured repository: the same host and path, or the configured name as its last part. */
function isSame(url: string, { name, url: configured, isLocal }: Repository['settings']): boolean {
  const plain = placeOf(url);
  return isLocal ? plain.split('/').at(-1) === name : plain === placeOf(configured);
}

/** Returns `host/path` of a URL or of `git@host:path`, in lower case and without `.git`. */
function placeOf(url: string): string {
  return withoutUser(url.replace(/^[\w.-]+@([\w.-]+):/, 'ssh://$1/'))
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/(?:\.git)?\/*$/, '')
    .toLowerCase();
}

async function diffRange(
  repository: Repository,
  range: { before: string | null; after: string; folder: string | null },
  signal: AbortSignal,
): Promise<string> {
  const files = await repository.changedFiles(range, signal);
  if (files.length === 0) return 'No file differs.';
  const texts: string[] = [];
  let length = 0;
  for (const file of files.slice(0, MAX_FILES)) {
    if (length > MAX_DIFF) break;
    const text = await diffFile(repository, file, signal);
    texts.push(text);
    length += text.length;
  }
  const rest = files.slice(texts.length).map(({ path }) => path);
  const more =
    rest.length === 0
      ? []
      : [
          `[${rest.length} more files differ: ${rest.slice(0, MAX_FILES).join(', ')}${rest.length > MAX_FILES ? ', …' : ''}]`,
        ];
  return [...texts, ...more].join('\n');
}

async function diffFile(
  repository: Repository,
  { path, before, after }: ChangedFile,
  signal: AbortSignal,
): Promise<string> {
  const read = async (blob: string | null) => (blob === null ? null : repository.read(blob, signal));
  const [left, right] = await Promise.all([read(before), read(after)]);
  const contents = [left, right].filter((content) => content !== null);
  if (contents.some((content) => content.length > MAX_FILE_BYTES))
    return `${path}: larger than ${MAX_FILE_BYTES / 1024} KiB, not compared`;
  const change = left === null ? 'added' : right === null ? 'removed' : 'changed';
  if (contents.some((content) => content.includes(0))) return `${path}: a binary file, ${change}`;
  // A part of a Secret cannot be masked value by value, so that masking would hide the other files too.
  if (contents.some((content) => maySecretBeIn(content.toString())))
    return `${path}: contains a Secret, ${change}; its content is not shown`;
  const text = (content: Buffer | null) => content?.toString() ?? null;
  return diffTexts({
    beforeName: `a/${path}`,
    before: text(left),
    afterName: `b/${path}`,
    after: text(right),
  });
}
