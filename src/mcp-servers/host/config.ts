import { hostname } from 'node:os';
import { isAbsolute, normalize, parse } from 'node:path';

export interface LogRoot {
  path: string;
  /** True if only files named like app.log or app.log.1 may be read; false for `/var/log`. */
  onlyLogNames: boolean;
}

/** A target that http_probe may request, in addition to loopback. A `null` protocol or port matches all of them. */
export interface ProbeTarget {
  protocol: string | null;
  hostname: string;
  port: string | null;
}

export interface HostConfig {
  hostname: string;
  /** The mount point of procfs; differs from /proc if a container inspects its host. */
  procRoot: string;
  logRoots: readonly LogRoot[];
  walkRoots: readonly string[];
  probeTargets: readonly ProbeTarget[];
  /** The only folder that old files may be removed from; `null` if no files are ever removed. */
  cleanupFolder: string | null;
}

function list(value: string | undefined, separator: RegExp): string[] {
  return (value ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function parseProbeTarget(text: string): ProbeTarget {
  const hasScheme = /^https?:\/\//i.test(text);
  // Adds a scheme without a default port, because the parser would drop `:80` after `http:`.
  const url = URL.parse(hasScheme ? text : `target://${text}`);
  if (!url || url.hostname === '' || url.username !== '' || (url.pathname !== '' && url.pathname !== '/')) {
    throw new Error(`HOST_MCP_PROBE_TARGETS: "${text}" is no host, host:port or http(s) origin`);
  }
  const host = url.hostname.toLowerCase();
  if (!hasScheme) return { protocol: null, hostname: host, port: url.port || null };
  return { protocol: url.protocol, hostname: host, port: url.port || defaultPort(url.protocol) };
}

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
 * Reads the settings from the environment; all are optional.
 * - HOST_MCP_LOG_DIRS: further directories (separated by colons) whose *.log files may be read, also rotated ones
 * - HOST_MCP_WALK_DIRS: directories (separated by colons) that largest_directories may walk, default /
 * - HOST_MCP_PROBE_TARGETS: further targets (separated by commas or spaces) that http_probe may request
 * - HOST_MCP_CLEAN_DIR: the only folder that remove_old_files may clean; without it the tool does not exist
 * - HOST_MCP_PROC: the mount point of procfs, default /proc
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
