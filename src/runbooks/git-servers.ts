/** A token for the files of one server. */
export interface HostToken {
  /** `host`, or `host:port` if the port is not 443. */
  host: string;
  token: string;
  /** Beginnings of the paths that the token may be sent to, such as `org/runbooks`. */
  paths: readonly string[];
}

/**
 * Returns the token that may be sent to a URL; `null` if there is none. Each request asks again, so that a redirect
 * takes no token along. Paths are listed, because an alert's sender chooses the URL.
 */
export function hostTokenFor(url: URL, tokens: readonly HostToken[]): string | null {
  // Refuses encoded separators and dots, because the server might decode them and read another repository.
  if (url.protocol !== 'https:' || /%(?:2f|5c|2e)/i.test(url.pathname)) return null;
  const path = `${url.pathname.replace(GITHUB_API, '').toLowerCase()}/`;
  const found = tokens.find(
    ({ host, paths }) =>
      host === url.host && paths.some((allowed) => path.startsWith(`/${allowed.toLowerCase()}/`)),
  );
  return found?.token ?? null;
}

const GITHUB_API = /^\/api\/v3\/repos(?=\/)/;

/** Pages of files: GitLab; GitHub Enterprise; Gitea and Forgejo. Each with the place where `raw` replaces a part. */
const FILE_PAGES: readonly RegExp[] = [
  /^(?<before>\/.+\/-\/)blob(?<after>\/[^/]+\/.+)$/,
  /^(?<before>\/[^/]+\/[^/]+\/)blob(?<after>\/[^/]+\/.+)$/,
  /^(?<before>\/[^/]+\/[^/]+\/)src(?<after>\/(?:branch|tag|commit)\/[^/]+\/.+)$/,
];

/**
 * Returns the URL of the file that a git server shows on a page; other URLs stay unchanged. A file of GitHub Enterprise
 * for which there is a token is read from its API, because its pages accept no tokens.
 */
export function fileUrl(url: URL, tokens: readonly HostToken[]): URL {
  const [, owner, repo, view, ref, ...path] = url.pathname.split('/');
  if (view === 'blob' && path.length > 0 && hostTokenFor(url, tokens) !== null) {
    const file = new URL(`/api/v3/repos/${owner}/${repo}/contents/${path.join('/')}`, url);
    file.searchParams.set('ref', decodeURIComponent(ref!));
    return file;
  }
  const groups = FILE_PAGES.map((page) => page.exec(url.pathname)?.groups).find(Boolean);
  return groups ? new URL(`${groups.before}raw${groups.after}${url.search}`, url) : url;
}
