import { GITHUB_RAW_HOST } from './url.ts';

/** The host of GitHub's REST API. */
export const GITHUB_API_HOST = 'api.github.com';

/** The only hosts that a token may be sent to. */
const TOKEN_HOSTS: ReadonlySet<string> = new Set([GITHUB_API_HOST, GITHUB_RAW_HOST]);

const GITHUB_HOSTS: ReadonlySet<string> = new Set(['github.com', 'www.github.com']);

/** A token and the repositories that it may be used for. */
export interface GithubToken {
  token: string;
  /** `owner/repo`, or `owner` for all repositories of an owner. */
  repositories: readonly string[];
}

/**
 * True if the token may be sent with a request to this URL. The sender of an alert chooses the URL, so the token is
 * limited to listed repositories; otherwise a sender could read every repository that it opens.
 */
export function mayReceiveGithubToken(url: URL, repositories: readonly string[]): boolean {
  if (url.protocol !== 'https:' || url.port !== '' || !TOKEN_HOSTS.has(url.hostname)) return false;
  // GitHub might decode these to path separators or dots, and read another repository.
  if (/%(?:2f|5c|2e)/i.test(url.pathname)) return false;
  const prefix = url.hostname === GITHUB_API_HOST ? '/repos/' : '/';
  if (!url.pathname.startsWith(prefix)) return false;
  const [owner, repo] = url.pathname.slice(prefix.length).toLowerCase().split('/');
  if (!owner || !repo) return false;
  return repositories.some((listed) => [owner, `${owner}/${repo}`].includes(listed.toLowerCase()));
}

/**
 * Returns the URL of the text behind a GitHub page: the raw file for a file page (blob, raw), the README.md for a
 * folder (tree) or a repository. Other URLs are returned unchanged.
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

/** The raw host accepts branches, tags and commits, also branches with slashes. */
function rawFileUrl(path: readonly string[]): URL {
  return new URL(`https://${GITHUB_RAW_HOST}/${path.join('/')}`);
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown)$/i.test(path);
}

/** A folder of a repository; its parts are URL-decoded. */
export interface GithubFolder {
  owner: string;
  repo: string;
  /** Branch, tag or commit, without slashes. */
  ref: string;
  /** Without leading and trailing slashes; empty for the whole repository. */
  path: string;
}

/** Parses https://github.com/{owner}/{repo}[/tree/{ref}[/{path}]]; returns `null` for other URLs. */
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
    return part; // a literal %
  }
}

/** Returns the API URL that lists all files of a commit recursively. */
export function treeApiUrl({ owner, repo, ref }: GithubFolder): URL {
  const path = ['repos', owner, repo, 'git', 'trees', ref].map(encodeURIComponent).join('/');
  return new URL(`https://${GITHUB_API_HOST}/${path}?recursive=1`);
}

/** Returns the URL of a file's page, as `submitAlert` accepts it. */
export function filePageUrl({ owner, repo, ref }: GithubFolder, file: string): string {
  const path = [owner, repo, 'blob', ref, ...file.split('/')].map(encodeURIComponent).join('/');
  return `https://github.com/${path}`;
}
