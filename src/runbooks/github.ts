import { GITHUB_RAW_HOST } from './url.ts';

export const GITHUB_API_HOST = 'api.github.com';

const TOKEN_HOSTS: ReadonlySet<string> = new Set([GITHUB_API_HOST, GITHUB_RAW_HOST]);

const GITHUB_HOSTS: ReadonlySet<string> = new Set(['github.com', 'www.github.com']);

export interface GithubToken {
  token: string;
  /** The repositories for which the token may be sent: `owner/repo`, or `owner` for all repositories of an owner. */
  repositories: readonly string[];
}

/** True if the token may be sent to this URL. Repositories are listed, because an alert's sender chooses the URL. */
export function mayReceiveGithubToken(url: URL, repositories: readonly string[]): boolean {
  if (url.protocol !== 'https:' || url.port !== '' || !TOKEN_HOSTS.has(url.hostname)) return false;
  // Refuses encoded separators and dots, because GitHub might decode them and read another repository.
  if (/%(?:2f|5c|2e)/i.test(url.pathname)) return false;
  const prefix = url.hostname === GITHUB_API_HOST ? '/repos/' : '/';
  if (!url.pathname.startsWith(prefix)) return false;
  const [owner, repo] = url.pathname.slice(prefix.length).toLowerCase().split('/');
  if (!owner || !repo) return false;
  return repositories.some((listed) => [owner, `${owner}/${repo}`].includes(listed.toLowerCase()));
}

/** Returns the URL of the text behind a GitHub page: a raw file, or a folder's README.md. Other URLs stay unchanged. */
export function contentUrl(url: URL): URL {
  if (!GITHUB_HOSTS.has(url.hostname) || url.port !== '') return url;
  const [owner, repo, view, ...rest] = url.pathname.split('/').slice(1).filter(Boolean);
  if (!owner || !repo) return url;
  // The raw host finds where the branch, tag or commit ends in the path, even for a branch with slashes.
  const raw = (path: readonly string[]) =>
    new URL(`https://${GITHUB_RAW_HOST}/${[owner, repo, ...path].join('/')}`);
  if (view === undefined) return raw(['HEAD', 'README.md']);
  if ((view === 'blob' || view === 'raw') && rest.length > 1) return raw(rest);
  if (view !== 'tree' || rest.length === 0) return url;
  const isFile = rest.length > 1 && isMarkdown(rest.at(-1) ?? '');
  return raw(isFile ? rest : [...rest, 'README.md']);
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
  /** Path without leading and trailing slashes; '' for the whole repository. */
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
    return part; // not encoded: contains a literal %
  }
}

export function treeApiUrl({ owner, repo, ref }: GithubFolder): URL {
  const path = ['repos', owner, repo, 'git', 'trees', ref].map(encodeURIComponent).join('/');
  return new URL(`https://${GITHUB_API_HOST}/${path}?recursive=1`);
}

export function filePageUrl({ owner, repo, ref }: GithubFolder, file: string): string {
  const path = [owner, repo, 'blob', ref, ...file.split('/')].map(encodeURIComponent).join('/');
  return `https://github.com/${path}`;
}
