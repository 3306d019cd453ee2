import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openExecutor } from '../helpers/mcp/executor.ts';

/**
 * Tests servers over stdio that cannot start, by what they write. The reported reason must contain the true
 * error.
 */
const USAGE = [
  'Usage:',
  '  server [flags]',
  '',
  'Flags:',
  '      --log-level string   error, fatal or panic',
  '      --port string',
  '      --read-only',
  '      --stateless',
  '      --tls-cert string',
  '      --version',
];
const frames = Array.from({ length: 12 }, (_, index) => `    at load (node:internal/loader:${index}:5)`);
const goroutines = Array.from({ length: 8 }, (_, index) => `\t/src/main.go:${index} +0x1d`);

interface Start {
  stderr?: readonly string[];
  stdout?: readonly string[];
  reason: string | RegExp;
}

const STARTS: Record<string, Start> = {
  'an error before the usage page': {
    stderr: ['Error: no current-context is set and no contexts are defined in kubeconfig.', ...USAGE],
    reason:
      'the server exited with code 1; it wrote: Error: no current-context is set and no contexts are defined in kubeconfig. | … | --port string | --read-only | --stateless | --tls-cert string | --version',
  },
  'an error after a date and a level': {
    stderr: ['2026/11/27 10:00:00 INFO starts', '2026/11/27 10:00:01 ERROR dial tcp: refused', ...USAGE],
    reason: /it wrote: 2026\/11\/27 10:00:01 ERROR dial tcp: refused \| … \|/,
  },
  'a log as JSON': {
    stderr: ['{"level":"info","msg":"starts"}', '{"level":"fatal","msg":"no token"}', ...USAGE],
    reason: /it wrote: \{"level":"fatal","msg":"no token"\} \| …/,
  },
  'a stack of Node': {
    stderr: [
      'node:internal/loader:1',
      '  throw err;',
      '',
      "Error: Cannot find module './x'",
      ...frames,
      '',
      'Node.js v24',
    ],
    reason: /it wrote: Error: Cannot find module '\.\/x' \| … \| at load/,
  },
  'a panic of Go': {
    stderr: ['panic: runtime error: index out of range', '', 'goroutine 1 [running]:', ...goroutines],
    reason: /it wrote: panic: runtime error: index out of range \| …/,
  },
  'an exception of Python': {
    stderr: [
      'Traceback (most recent call last):',
      '  File "server.py", line 1',
      "ModuleNotFoundError: No module named 'mcp'",
    ],
    reason: /it last wrote: Traceback .* \| ModuleNotFoundError: No module named 'mcp'$/,
  },
  'an exception of Java': {
    stderr: ['Exception in thread "main" java.net.BindException: in use', ...frames],
    reason: /it wrote: Exception in thread "main" java\.net\.BindException: in use \| …/,
  },
  'several errors': {
    stderr: ['error: retries', 'error: gives up, no route to host', ...USAGE],
    reason: /it wrote: error: gives up, no route to host \| …/,
  },
  'a first line in other words': {
    stderr: ['kubeconfig is missing', ...USAGE],
    reason: /it wrote: kubeconfig is missing \| … \|/,
  },
  'an error on the standard output': {
    stdout: ['Error: API_URL is not set', ...USAGE],
    reason: /it wrote: Error: API_URL is not set \| … \|/,
  },
  'colours and a long log before': {
    stderr: [
      ...Array.from({ length: 400 }, (_, index) => `debug ${index}`),
      '\u001b[31mfatal\u001b[0m: no disk',
      ...USAGE,
    ],
    reason: /it wrote: fatal: no disk \| … \|/,
  },
  'few words': {
    stderr: ['needs a license'],
    reason: 'the server exited with code 1; it last wrote: needs a license',
  },
  nothing: { reason: 'the server exited with code 1' },
};

describe('the reason of a server that cannot start has', () => {
  it.concurrent.each(Object.entries(STARTS))('%s', async (_, { stderr = [], stdout = [], reason }) => {
    const script = `
      process.stdout.write(${JSON.stringify(stdout.map((line) => `${line}\n`).join(''))});
      process.stderr.write(${JSON.stringify(stderr.map((line) => `${line}\n`).join(''))});
      process.exitCode = 1;`;
    const transport = { type: 'stdio', command: process.execPath, args: ['-e', script] } as const;
    const executor = await openExecutor([{ id: `s-${randomUUID().slice(0, 8)}`, transport }]);
    const [told] = executor.unavailableServers().values();
    await executor.close();
    if (reason instanceof RegExp) expect(told).toMatch(reason);
    else expect(told).toBe(reason);
  });
});
