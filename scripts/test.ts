import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devPython, ROOT } from './lib/dev-python.ts';
import { runStep } from './lib/run-step.ts';

/**
 * Runs every test: TypeScript and browser (vitest), and at the same time Python (pytest). The last line counts all tests.
 * With arguments, as in `npm test -- src/config`, passes them to vitest and does not run pytest.
 */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Time limits (minutes), several times the usual duration, so that only hangs reach them. Long sweeps raise them. */
const LIMIT_MINUTES = { vitest: Number(process.env.TEST_MINUTES ?? 70), pytest: 20 };

const filters = process.argv.slice(2);
const reports = await mkdtemp(join(tmpdir(), 'tarsy-tests-'));
try {
  // Installed before the first test because it takes minutes in a fresh clone, longer than a test's limit.
  const interpreter = filters.length > 0 ? null : await devPython();
  const [typescript, python] = await Promise.all([
    runVitest(join(reports, 'vitest.json')),
    interpreter === null ? null : runPytest(interpreter, join(reports, 'pytest.xml')),
  ]);
  const total = add(typescript.counts, python?.counts ?? { passed: 0, failed: 0, skipped: 0 });
  // A runner that fails without a failed test (a crash, a file that does not load) also counts as a failure.
  const crashed = [typescript, python].filter(
    (run) => run && run.exitCode !== 0 && run.counts.failed === 0,
  ).length;
  process.stdout.write(
    `\n${total.passed} passed, ${total.failed + crashed} failed, ${total.skipped} skipped\n`,
  );
  process.exitCode = total.failed + crashed > 0 ? 1 : 0;
} finally {
  await rm(reports, { recursive: true, force: true });
}

async function runVitest(report: string): Promise<{ exitCode: number; counts: Counts }> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const exitCode = await runStep(process.execPath, [vitest, 'run', ...reporters, ...filters], {
    limitMinutes: LIMIT_MINUTES.vitest,
  });
  const json = await readFile(report, 'utf8').catch(() => null);
  if (json === null) return { exitCode: exitCode || 1, counts: { passed: 0, failed: 0, skipped: 0 } };
  const result = JSON.parse(json) as VitestReport;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = result;
  return {
    exitCode,
    counts: { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests },
  };
}

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
}

async function runPytest(interpreter: string, report: string): Promise<{ exitCode: number; counts: Counts }> {
  const args = ['-m', 'pytest', '--quiet', '-rs', `--junitxml=${report}`];
  const output = `${report}.txt`; // shown in one piece, because vitest writes meanwhile
  const exitCode = await runStep(interpreter, args, {
    cwd: join(ROOT, 'llm-service'),
    limitMinutes: LIMIT_MINUTES.pytest,
    outputFile: output,
  });
  process.stdout.write(await readFile(output));
  const xml = await readFile(report, 'utf8').catch(() => '');
  const count = (name: string) =>
    Number(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`).exec(xml)?.[1] ?? 0);
  const failed = count('failures') + count('errors');
  const skipped = count('skipped');
  return { exitCode, counts: { passed: count('tests') - failed - skipped, failed, skipped } };
}

function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}
