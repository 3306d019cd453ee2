import { join } from 'node:path';
import { devPython, ROOT } from './lib/dev-python.ts';
import { runStep } from './lib/run-step.ts';

/** Runs every check of the sources that needs no running system. Runs all steps; the last line names failed ones. */
const python = await devPython();
const node = process.execPath;
const bin = (name: string) => join(ROOT, 'node_modules/.bin', name);
const service = { cwd: join(ROOT, 'llm-service') };

// `biome ci` colours its output in files too.
const plain = process.stdout.isTTY ? [] : ['--colors=off'];

const steps: [
  name: string,
  command: string,
  args: string[],
  options?: { cwd?: string; env?: NodeJS.ProcessEnv },
][] = [
  ['format, lint', bin('biome'), ['ci', '--error-on-warnings', ...plain]],
  ['import directions', node, ['scripts/lib/import-directions.ts']],
  ['clear words', node, ['scripts/lib/plain-words.ts']],
  ['types', bin('tsc'), ['-p', '.']],
  ['types of the dashboard', bin('tsc'), ['-p', 'web']],
  ['dead code', bin('knip'), []],
  ['schema.graphql up to date', node, ['scripts/print-schema.ts', '--check']],
  ['documents of the dashboard up to date', node, ['scripts/generate-documents.ts', '--check']],
  ['senders of the dashboard up to date', node, ['scripts/senders.ts', '--check']],
  ['JSON Schemas of the configuration up to date', node, ['scripts/config-schema.ts', '--check']],
  ['pages of docs/reference up to date', node, ['scripts/docs-reference.ts', '--check']],
  [
    'generated gRPC code up to date',
    'bash',
    ['scripts/generate-proto.sh', '--check'],
    { env: { PYTHON: python } },
  ],
  ['ruff format', python, ['-m', 'ruff', 'format', '--check', '.'], service],
  ['ruff lint', python, ['-m', 'ruff', 'check', '.'], service],
  ['mypy', python, ['-m', 'mypy', '.'], service],
];

const failed: string[] = [];
for (const [name, command, args, options] of steps) {
  process.stdout.write(`\n▸ ${name}\n`);
  if ((await runStep(command, args, options)) !== 0) failed.push(name);
}
process.stdout.write(failed.length === 0 ? '\nAll checks passed.\n' : `\nFailed: ${failed.join('; ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
