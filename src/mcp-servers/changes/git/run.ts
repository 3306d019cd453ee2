import { execFile } from 'node:child_process';
import { ToolFailure } from '../../tool/failure.ts';

/** Time limit of one git command (ms). */
const GIT_TIMEOUT_MS = 45_000;
/** Maximum output of one git command (bytes). */
const MAX_GIT_OUTPUT_BYTES = 16 * 2 ** 20;

/** Variables that git needs from the environment: programs, keys of ssh, proxies, certificates. */
const PASSED =
  /^(?:PATH|HOME|LANG|TMPDIR|SSH_AUTH_SOCK|GIT_SSL_CAINFO|SSL_CERT_FILE|SSL_CERT_DIR|(?:https?|all|no)_proxy)$/i;

export interface GitRun {
  /** Bare repository of this server. */
  folder: string;
  /** Configuration file of this server, the only one that git reads besides that of `folder`. */
  config: string;
  signal: AbortSignal;
  /** Authorization header for https; `null` for none. */
  header?: { url: string; value: string } | null;
}

/**
 * Runs git in this server's own bare repository, never in a checkout: no configuration, hooks, filters, external diffs
 * or pagers of others apply. @throws ToolFailure
 */
export async function git(run: GitRun, args: readonly string[]): Promise<Buffer> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
  const env = {
    ...inherited,
    GIT_DIR: run.folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: run.config,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    LC_ALL: 'C',
    ...headerConfig(run.header ?? null),
  };
  return new Promise((resolve, reject) => {
    const options = {
      env,
      cwd: run.folder,
      encoding: 'buffer',
      timeout: GIT_TIMEOUT_MS,
      maxBuffer: MAX_GIT_OUTPUT_BYTES,
      signal: run.signal,
    } as const;
    const child = execFile('git', [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(failureOf(error, stderr.toString()));
    });
    child.stdin?.end();
  });
}

/** Passes a header by the environment, because arguments are visible in the list of processes. */
function headerConfig(header: GitRun['header']): Record<string, string> {
  if (!header) return {};
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${header.url}.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: ${header.value}`,
  };
}

function failureOf(error: Error & { code?: unknown; killed?: boolean }, stderr: string): ToolFailure {
  if (error.code === 'ENOENT')
    return new ToolFailure(
      'NOT_SUPPORTED',
      'git is not installed on this machine, or not in PATH; install it to see commits.',
    );
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new ToolFailure('FAILED', 'git returned more than 16 MiB; choose a smaller range.');
  if (error.killed || error.name === 'AbortError')
    return new ToolFailure('FAILED', `git did not finish within ${GIT_TIMEOUT_MS / 1000} s.`);
  const line = stderr.split('\n').find((each) => /^(?:fatal|error):/.test(each)) ?? 'unknown error';
  return new ToolFailure('FAILED', `git failed (${line.slice(0, 200)}).`);
}
