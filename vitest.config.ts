import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts', 'web/src/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real databases, servers and processes on few cores: more files at once only make each slower.
    maxWorkers: 2,
    sequence: { concurrent: false },
  },
  // Vite would take graphql's development build for our files while packages load the usual one; the two do not mix.
  resolve: {
    alias: [{ find: /^graphql$/, replacement: join(import.meta.dirname, 'node_modules/graphql/index.mjs') }],
  },
});
