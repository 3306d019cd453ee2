import { isAbsolute, normalize } from 'node:path';
import { type Cluster, findCluster } from './kubernetes/kubeconfig.ts';

/** A repository whose commits are shown. */
export interface RepositorySettings {
  /** Name that identifiers and texts use. */
  name: string;
  /** URL without credentials, or absolute path. */
  url: string;
  isLocal: boolean;
  /** `HEAD`, or `refs/heads/<branch>`. */
  branch: string;
  header: { url: string; value: string } | null;
}

export interface ChangesConfig {
  /** `null` if no cluster is configured. */
  cluster: Cluster | null;
  repositories: readonly RepositorySettings[];
  /** Time limit of one request to the Kubernetes API (ms). */
  timeoutMs: number;
}

type Env = Readonly<Record<string, string | undefined>>;

const REPOSITORIES = 'CHANGES_MCP_GIT_REPOSITORIES';
const TOKEN = 'CHANGES_MCP_GIT_TOKEN';
const TIMEOUT = 'CHANGES_MCP_TIMEOUT_SECONDS';
const DEFAULT_TIMEOUT_SECONDS = 15;

/**
 * Reads the settings from the environment; all are optional.
 * - KUBECONFIG: kubeconfig file; without it the pod's service account, else ~/.kube/config
 * - CHANGES_MCP_GIT_REPOSITORIES: `name=location#branch`, separated by spaces; a location is an https or ssh URL or an
 *   absolute path
 * - CHANGES_MCP_GIT_TOKEN: token for the https repositories, which must all be on one host
 * - CHANGES_MCP_TIMEOUT_SECONDS: time limit of one request to the Kubernetes API, 1–60, default 15
 * @throws Error if a setting is invalid
 */
export function changesConfigFromEnv(env: Env): ChangesConfig {
  return { cluster: findCluster(env), repositories: parseRepositories(env), timeoutMs: parseTimeout(env) };
}

function parseTimeout(env: Env): number {
  const seconds = Number(env[TIMEOUT] || DEFAULT_TIMEOUT_SECONDS);
  if (!(seconds >= 1 && seconds <= 60)) throw new Error(`${TIMEOUT} must be a number from 1 to 60`);
  return seconds * 1000;
}

export function parseRepositories(env: Env): RepositorySettings[] {
  const entries = (env[REPOSITORIES] ?? '').split(/\s+/).filter((entry) => entry !== '');
  const parsed = entries.map(parseRepository);
  const names = parsed.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${REPOSITORIES}: the name "${twice}" is used twice`);
  return env[TOKEN] ? withToken(parsed, env[TOKEN]) : parsed;
}

function parseRepository(entry: string): RepositorySettings {
  const match = /^([a-z0-9][a-z0-9-]{0,39})=([^#]+)(?:#(.+))?$/.exec(entry);
  const wrong = (why: string) => new Error(`${REPOSITORIES}: "${match?.[1] ?? 'entry'}" ${why}`);
  if (!match) throw wrong('must be name=location or name=location#branch');
  const [, name = '', location = '', branch] = match;
  if (branch !== undefined && !/^[A-Za-z0-9][\w./-]*$/.test(branch)) throw wrong('has an invalid branch');
  const shared = { name, branch: branch === undefined ? 'HEAD' : `refs/heads/${branch}`, header: null };
  if (isAbsolute(location))
    return { ...shared, url: normalize(location).replace(/(?<=.)\/+$/, ''), isLocal: true };
  const url = URL.parse(location);
  if (url === null || !/^(?:https|ssh):$/.test(url.protocol))
    throw wrong('must be an https:// or ssh:// URL or an absolute path');
  if (url.password !== '' || (url.protocol === 'https:' && url.username !== ''))
    throw wrong(`must not contain a user name or password; set ${TOKEN}`);
  return { ...shared, url: url.href, isLocal: false };
}

function withToken(repositories: readonly RepositorySettings[], token: string): RepositorySettings[] {
  const isHttps = ({ url }: RepositorySettings) => url.startsWith('https://');
  const origins = new Set(repositories.filter(isHttps).map(({ url }) => new URL(url).origin));
  // One token must not reach the host of another repository.
  if (origins.size > 1)
    throw new Error(`${TOKEN} is for one host, but ${REPOSITORIES} names ${[...origins].join(' and ')}`);
  const login = token.includes(':') ? token : `x-access-token:${token}`;
  const value = `Basic ${Buffer.from(login).toString('base64')}`;
  return repositories.map((each) =>
    isHttps(each) ? { ...each, header: { url: `${new URL(each.url).origin}/`, value } } : each,
  );
}
