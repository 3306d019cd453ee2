import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';

/**
 * The required client scenarios of each MCP revision (`requirements/` of the package): `null` if met, otherwise the
 * reason why it is left out. Run with `node test/mcp-conformance/run.ts [revision [scenario …]]`.
 */
const PERSON = 'needs a person who signs in with a browser';
const ANSWER = 'needs a person who answers an elicitation';

const INTERACTIVE_AUTH = [
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
];
const INTERACTIVE_AUTH_2026 = [
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/authorization-server-migration',
  'auth/iss-supported',
  'auth/iss-not-advertised',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
];

const all = (scenarios: string[], reason: string | null) =>
  Object.fromEntries(scenarios.map((scenario) => [scenario, reason]));

export const REQUIRED: Record<string, Record<string, string | null>> = {
  '2025-11-25': {
    ...all(['initialize', 'tools_call', 'sse-retry'], null),
    'elicitation-sep1034-client-defaults': ANSWER,
    ...all(INTERACTIVE_AUTH, PERSON),
  },
  '2026-07-28': {
    ...all(['tools_call', 'request-metadata'], null),
    ...all([...INTERACTIVE_AUTH, ...INTERACTIVE_AUTH_2026], PERSON),
    'sep-2322-client-request-state': ANSWER,
    ...all(['http-standard-headers', 'http-custom-headers', 'http-invalid-tool-headers'], null),
    'json-schema-ref-no-deref': null,
  },
};

/** Scenarios that the client passes although no revision requires them. */
export const BESIDES = {
  '2025-11-25': ['json-schema-2020-12-preservation'],
  '2026-07-28': ['json-schema-2020-12-preservation'],
  extensions: ['auth/client-credentials-basic', 'auth/client-credentials-jwt'],
};

export interface Outcome {
  /** True if every check succeeded without a warning. */
  passed: boolean;
  output: string;
}

const PACKAGE = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);
const RUNNER = join(PACKAGE, 'dist/index.js');
const CLIENT = resolve(import.meta.dirname, 'client.ts');
/** Time limit of one scenario (ms), after which the runner ends its client. */
const LIMIT_MS = 60_000;

/** Returns the scenarios that a revision requires of clients or servers, as listed in the package. */
export async function requiredBy(revision: string, of: 'client' | 'server' = 'client'): Promise<string[]> {
  const text = await readFile(join(PACKAGE, 'requirements', `${revision}.yaml`), 'utf8');
  return (parse(text) as Record<typeof of, string[]>)[of];
}

/**
 * Runs one scenario.
 * @param revision the protocol version; extensions have none
 */
export function runScenario(revision: string, scenario: string): Promise<Outcome> {
  const version = revision === 'extensions' ? [] : ['--spec-version', revision];
  const command = `${process.execPath} ${CLIENT}`;
  return run(['client', '--command', command, '--scenario', scenario, ...version]);
}

/** Runs one scenario against a server. @param revision the protocol version; `null` = that of the scenario */
export const runServerScenario = (
  url: string,
  scenario: string,
  revision: string | null = null,
): Promise<Outcome> =>
  run([
    ...['server', '--url', url, '--scenario', scenario],
    ...(revision === null ? [] : ['--spec-version', revision]),
  ]);

async function run(args: readonly string[]): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  try {
    const options = [...args, '--timeout', String(LIMIT_MS), '-o', folder];
    const runner = spawn(process.execPath, [RUNNER, ...options], { cwd: folder });
    let output = '';
    for (const stream of [runner.stdout, runner.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const code = await new Promise((ended) => runner.once('close', ended));
    return { passed: code === 0 && /Passed: (\d+)\/\1, 0 failed, 0 warnings/.test(output), output };
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const [only, ...wanted] = process.argv.slice(2);
  for (const revision of only === undefined ? Object.keys(REQUIRED) : [only]) {
    const met = Object.entries(REQUIRED[revision] ?? {}).flatMap(([name, out]) =>
      out === null ? [name] : [],
    );
    for (const scenario of wanted.length > 0 ? wanted : met) {
      const { passed, output } = await runScenario(revision, scenario);
      console.log(`${passed ? 'passed' : 'FAILED'}  ${revision}  ${scenario}`);
      if (passed) continue;
      console.log(output);
      process.exitCode = 1;
    }
  }
}
