import { hostname } from 'node:os';
import { isAbsolute, normalize, parse } from 'node:path';

/** Where log files may be read. Under `/var/log` every regular file; under the operator's directories only log names. */
export interface LogRoot {
  path: string;
  onlyLogNames: boolean;
}

/** A place that http_probe may ask besides loopback; a null part matches everything. */
export interface ProbeTarget {
  protocol: string | null;
  hostname: string;
  port: string | null;
}

/** What the operator allows this server to look at. */
export interface HostConfig {
  hostname: string;
  /** Where procfs is mounted; other than /proc when a container looks at the machine around it. */
  procRoot: string;
  logRoots: readonly LogRoot[];
  walkRoots: readonly string[];
  probeTargets: readonly ProbeTarget[];
  /** The one folder that old files may be removed from; null: nothing is ever removed. */
  cleanupFolder: string | null;
}

function list(value: string | undefined, separator: RegExp): string[] {
  return (value ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Reads `host`, `host:port`, `[v6]:port` or a URL's origin. Throws on anything else. */
export function parseProbeTarget(text: string): ProbeTarget {
  const hasScheme = /^https?:\/\//i.test(text);
  // A stand-in scheme without a default port, so that a port given as :80 is not dropped.
  const url = URL.parse(hasScheme ? text : `target://${text}`);
  if (!url || url.hostname === '' || url.username !== '' || (url.pathname !== '' && url.pathname !== '/')) {
    throw new Error(`HOST_MCP_PROBE_TARGETS: "${text}" is no host, host:port or http(s) origin`);
  }
  const host = url.hostname.toLowerCase();
  if (!hasScheme) return { protocol: null, hostname: host, port: url.port === '' ? null : url.port };
  return {
    protocol: url.protocol,
    hostname: host,
    port: url.port === '' ? defaultPort(url.protocol) : url.port,
  };
}

/** The port a URL without one means. */
export function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}

function parseCleanupFolder(value: string | undefined): string | null {
  if (!value) return null;
  const path = normalize(value).replace(/\/+$/, '') || '/';
  if (!isAbsolute(path) || path === parse(path).root)
    throw new Error(`HOST_MCP_CLEAN_DIR: "${value}" is no absolute path of a folder`);
  return path;
}

/**
 * Settings from the environment; all optional.
 * - HOST_MCP_LOG_DIRS: more directories (colon-separated) whose *.log files may be read
 * - HOST_MCP_WALK_DIRS: directories (colon-separated) that largest_directories may walk, default /
 * - HOST_MCP_PROBE_TARGETS: more places (comma or space separated) that http_probe may ask
 * - HOST_MCP_CLEAN_DIR: the one folder that remove_old_files may remove files from; without it there is no such tool
 * - HOST_MCP_PROC: where procfs is mounted, default /proc
 */
export function hostConfigFromEnv(env: Readonly<Record<string, string | undefined>>): HostConfig {
  const logDirs = list(env.HOST_MCP_LOG_DIRS, /:/);
  const walkDirs = list(env.HOST_MCP_WALK_DIRS, /:/);
  return {
    hostname: hostname(),
    procRoot: env.HOST_MCP_PROC || '/proc',
    logRoots: [
      { path: '/var/log', onlyLogNames: false },
      ...logDirs.map((path) => ({ path, onlyLogNames: true })),
    ],
    walkRoots: walkDirs.length > 0 ? walkDirs : ['/'],
    probeTargets: list(env.HOST_MCP_PROBE_TARGETS, /[\s,]+/).map(parseProbeTarget),
    cleanupFolder: parseCleanupFolder(env.HOST_MCP_CLEAN_DIR),
  };
}
