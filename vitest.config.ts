import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILE_CACHE } from './test/helpers/compile-cache.ts';

/** Starts the slowest files first, so that no worker is left with one at the end. */
const SLOW = ['test/attacks/', 'test/crash/', 'test/outage/', 'test/e2e/', 'test/faults/'];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = SLOW.findIndex((folder) => moduleId.includes(`/${folder}`));
      return found < 0 ? SLOW.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts', 'web/src/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    testTimeout: 60_000, // a busy machine takes ten times as long
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // one second is too short on a busy machine
    // Files with real processes wait most of their time, so two cores can serve three of them. More would slow each
    // other down.
    maxWorkers: 3,
    sequence: { concurrent: false, sequencer: SlowFirst },
  },
  // Vite would load graphql's development build for this project and the usual one for packages. The two are
  // incompatible.
  resolve: {
    alias: [{ find: /^graphql$/, replacement: join(import.meta.dirname, 'node_modules/graphql/index.mjs') }],
  },
});
