import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/**
 * Runs official client scenarios of MCP against TARSy's client: `node test/mcp-conformance/run.ts [scenario …]`.
 * Left out are those about authorization by OAuth, which the client does not do (a token is configured), and the one
 * about elicitation: an investigation has nobody who could be asked, so the client does not offer it.
 */
export const SCENARIOS = ['initialize', 'tools_call', 'sse-retry'] as const;

export interface Outcome {
  /** Every check succeeded, without a warning. */
  passed: boolean;
  output: string;
}

const RUNNER = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const CLIENT = resolve(import.meta.dirname, 'client.ts');
/** Milliseconds for one scenario; the runner ends its client then. */
const LIMIT_MS = 60_000;

export async function runScenario(scenario: string): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  try {
    const command = `${process.execPath} ${CLIENT}`;
    const options = [
      '--command',
      command,
      '--scenario',
      scenario,
      '--timeout',
      String(LIMIT_MS),
      '-o',
      folder,
    ];
    const runner = spawn(process.execPath, [RUNNER, 'client', ...options], { cwd: folder });
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
  const wanted = process.argv.slice(2);
  for (const scenario of wanted.length > 0 ? wanted : SCENARIOS) {
    const { passed, output } = await runScenario(scenario);
    console.log(`${passed ? 'passed' : 'FAILED'}  ${scenario}`);
    if (passed) continue;
    console.log(output);
    process.exitCode = 1;
  }
}
