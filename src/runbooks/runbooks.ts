import type { Logger } from 'pino';
import { ValidationError } from '../common/errors.ts';
import type { RunbooksConfig } from '../config/types.ts';
import { WARNING_CATEGORIES, type Warnings } from '../warnings.ts';
import { createCache } from './cache.ts';
import { RunbookError } from './errors.ts';
import { fileUrl, type HostToken } from './git-servers.ts';
import { contentUrl, GITHUB_API_HOST, type GithubToken, parseGithubFolder, treeApiUrl } from './github.ts';
import { type ListedRunbook, parseRunbookTree } from './github-tree.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import type { Network } from './network.ts';
import { checkRunbookUrl } from './url.ts';

/** Maximum size of a runbook (UTF-8 bytes): 64k tokens of 4 bytes, half the context of a small model. */
const RUNBOOK_MAX_BYTES = 256 * 1024;

/** Maximum size of a repository's file list (bytes); GitHub's own limit is 7 MB. */
const RUNBOOK_LIST_MAX_BYTES = 8 * 1024 * 1024;

/** Timeout (ms) of fetching a runbook, because an investigation waits for the text. */
const RUNBOOK_FETCH_MS = 10_000;

const RUNBOOK_FAILURE_TTL_MS = 10_000;

/** The masked text of a runbook, or the problem that prevented reading it. */
export type FetchedRunbook = { content: string } | { problem: string };

export interface Runbooks {
  /** Reads the runbook at a URL. Never rejects, because an investigation continues without the runbook. */
  read(address: string): Promise<FetchedRunbook>;
  /** Lists the Markdown files of the configured folder; empty if no folder is configured or the listing fails. */
  list(): Promise<readonly ListedRunbook[]>;
}

export interface RunbooksDeps {
  config: Omit<RunbooksConfig, 'tokens'>;
  githubToken: GithubToken | null;
  /** @default none */
  hostTokens?: readonly HostToken[];
  /** Masks secrets. If masking throws, the runbook is not used. */
  mask: (text: string) => string;
  warnings: Warnings;
  logger: Logger;
  network?: Network;
}

const MAX_CACHED_RUNBOOKS = 100;

export function createRunbooks(deps: RunbooksDeps): Runbooks {
  const { config, warnings, logger } = deps;
  let opened: Promise<GuardedFetch> | undefined;
  const fetchText: GuardedFetch = async (address, options) => {
    opened ??= loadGuardedFetch(deps);
    return (await opened)(address, options);
  };
  const times = {
    ttlMs: config.cacheTtlMs,
    failureTtlMs: Math.min(config.cacheTtlMs, RUNBOOK_FAILURE_TTL_MS),
  };
  const texts = createCache<string>({ ...times, maxEntries: MAX_CACHED_RUNBOOKS });
  const lists = createCache<readonly ListedRunbook[]>({ ...times, maxEntries: 1 });

  async function load(address: URL): Promise<string> {
    const options = {
      maxBytes: RUNBOOK_MAX_BYTES,
      accept: 'application/vnd.github.raw, text/markdown, text/plain, */*;q=0.5',
    };
    const text = await fetchText(address, options);
    try {
      return deps.mask(text);
    } catch {
      throw new RunbookError('MASKING_FAILED', 'its secrets could not be masked');
    }
  }

  async function loadList(): Promise<readonly ListedRunbook[]> {
    const folder = config.repoUrl === null ? null : parseGithubFolder(config.repoUrl);
    if (!folder) return [];
    const text = await fetchText(treeApiUrl(folder), {
      maxBytes: RUNBOOK_LIST_MAX_BYTES,
      accept: 'application/vnd.github+json',
      alsoAllowed: [GITHUB_API_HOST],
    });
    const { runbooks, isTruncated } = parseRunbookTree(text, folder);
    await warnings.clear(WARNING_CATEGORIES.runbooks);
    if (isTruncated) logger.warn({ repoUrl: config.repoUrl }, 'list of runbooks incomplete');
    return runbooks;
  }

  return {
    async read(address) {
      try {
        const page = contentUrl(checkRunbookUrl(address, config)); // configuration may have changed since submission
        const file = fileUrl(page, deps.hostTokens ?? []);
        return { content: await texts.get(file.href, () => load(file)) };
      } catch (error) {
        const host = URL.parse(address)?.hostname;
        logger.warn({ host, ...errorFields(error) }, 'runbook not read');
        if (error instanceof ValidationError) return { problem: 'its address is not allowed' };
        return { problem: error instanceof RunbookError ? error.message : 'reading it failed' };
      }
    },
    async list() {
      try {
        return await lists.get('', loadList);
      } catch (error) {
        const found = errorFields(error);
        logger.warn({ repoUrl: config.repoUrl, ...found }, 'runbooks not listed');
        const message = `The runbooks at ${config.repoUrl} cannot be listed`;
        await warnings.raise({ category: WARNING_CATEGORIES.runbooks, message, details: found.reason });
        return [];
      }
    },
  };
}

/** Loads the HTTP client at the first fetch instead of at start, because the client needs much memory. */
async function loadGuardedFetch(deps: RunbooksDeps): Promise<GuardedFetch> {
  const { createGuardedFetch } = await import('./guarded-fetch.ts');
  const network = deps.network ?? (await import('./network.ts')).systemNetwork();
  const { config: rules, githubToken, hostTokens = [] } = deps;
  return createGuardedFetch({ rules, githubToken, hostTokens, network, timeoutMs: RUNBOOK_FETCH_MS });
}

/** Returns the log fields of an error. The cause is logged by its code only: its message may contain addresses. */
function errorFields(error: unknown): { reason: string; code: string; cause?: string } {
  if (error instanceof ValidationError) return { reason: error.message, code: 'NOT_ALLOWED' };
  if (!(error instanceof RunbookError))
    return { reason: error instanceof Error ? error.name : 'unknown', code: 'UNKNOWN' };
  const { cause } = error;
  const causeCode = cause instanceof Error && 'code' in cause ? { cause: String(cause.code) } : {};
  return { reason: error.message, code: error.code, ...causeCode };
}
