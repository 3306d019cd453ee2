import { devPython } from './lib/dev-python.ts';
import { runStep } from './lib/run-step.ts';

/** Generates the TypeScript and Python code of the gRPC contract with the pinned protoc. */
process.exitCode = await runStep('bash', ['scripts/generate-proto.sh', ...process.argv.slice(2)], {
  env: { PYTHON: await devPython() },
});
