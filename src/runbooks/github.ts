import { GITHUB_RAW_HOST } from './url.ts';

/** Host of GitHub's REST API. */
export const GITHUB_API_HOST = 'api.github.com';

/** The hosts of GitHub that a token may be sent to: they alone know what to do with it. */
const TOKEN_HOSTS: ReadonlySet<string> = new Set([GITHUB_API_HOST, GITHUB_RAW_HOST]);

const GITHUB_HOSTS: ReadonlySet<string> = new Set(['github.com', 'www.github.com']);

/** A token, and what it may be used for. */
export interface GithubToken {
  token: string;
  /** `owner/repo`, or `owner` for all of an owner's. */
  repositories: readonly string[];
}

/**
 * Whether GitHub's token goes with a request to this address. Whoever sends alerts chooses addresses: with a token for
 * everything they would read every repository that it opens.
 */
export function mayReceiveGithubToken(url: URL, repositories: readonly string[]): boolean {
  if (url.protocol !== 'https:' || url.port !== '' || !TOKEN_HOSTS.has(url.hostname)) return false;
  // GitHub might read a slash where we read a part of a name.
  if (/%(?:2f|5c|2e)/i.test(url.pathname)) return false;
  const prefix = url.hostname === GITHUB_API_HOST ? '/repos/' : '/';
  if (!url.pathname.startsWith(prefix)) return false;
  const [owner, repo] = url.pathname.slice(prefix.length).toLowerCase().split('/');
  if (!owner || !repo) return false;
  return repositories.some((listed) => [owner, `${owner}/${repo}`].includes(listed.toLowerCase()));
}

/**
 * Where the text behind an address is: GitHub's pages of a file (blob, raw), of a folder (tree: its README.md) and of a
 * repository (its README.md) → the file itself; other addresses are what they are.
 */
export function contentUrl(url: URL): URL {
  if (!GITHUB_HOSTS.has(url.hostname) || url.port !== '') return url;
  const [owner, repo, view, ...rest] = url.pathname.split('/').slice(1).filter(Boolean);
  if (!owner || !repo) return url;
  if (view === undefined) return rawFileUrl([owner, repo, 'HEAD', 'README.md']);
  if ((view === 'blob' || view === 'raw') && rest.length > 1) return rawFileUrl([owner, repo, ...rest]);
  if (view !== 'tree' || rest.length === 0) return url;
  const isFile = rest.length > 1 && isMarkdown(rest.at(-1) ?? '');
  return rawFileUrl([owner, repo, ...rest, ...(isFile ? [] : ['README.md'])]);
}

/** Branch, tag and commit are all understood there, a branch with slashes too. */
function rawFileUrl(path: readonly string[]): URL {
  return new URL(`https://${GITHUB_RAW_HOST}/${path.join('/')}`);
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown)$/i.test(path);
}

/** A folder of a repository; parts are decoded. */
export interface GithubFolder {
  owner: string;
  repo: string;
  /** Branch, tag or commit, without slashes. */
  ref: string;
  /** Without slashes at its ends; '' = the whole repository. */
  path: string;
}

/** The folder at https://github.com/{owner}/{repo}[/tree/{ref}[/{path}]]; null when the address is no such one. */
export function parseGithubFolder(address: string): GithubFolder | null {
  const url = URL.parse(address);
  if (!url || !GITHUB_HOSTS.has(url.hostname)) return null;
  const [owner, repo, view, ref, ...path] = url.pathname.split('/').slice(1).filter(Boolean).map(decoded);
  if (!owner || !repo || (view !== undefined && view !== 'tree')) return null;
  return { owner, repo: repo.replace(/\.git$/, ''), ref: ref ?? 'HEAD', path: path.join('/') };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a % that encodes nothing
  }
}

/** The API's address of all files below a commit: one request, however deep the folders are. */
export function treeApiUrl({ owner, repo, ref }: GithubFolder): URL {
  const path = ['repos', owner, repo, 'git', 'trees', ref].map(encodeURIComponent).join('/');
  return new URL(`https://${GITHUB_API_HOST}/${path}?recursive=1`);
}

/** A file's page, for people and for `submitAlert`. */
export function filePageUrl({ owner, repo, ref }: GithubFolder, file: string): string {
  const path = [owner, repo, 'blob', ref, ...file.split('/')].map(encodeURIComponent).join('/');
  return `https://github.com/${path}`;
}
