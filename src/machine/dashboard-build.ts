import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { MachineError } from './errors.ts';

const run = promisify(execFile);

/**
 * Builds the dashboard into `web/dist` unless it was built from the same sources. Does nothing without sources, as in
 * an image that contains only the build.
 * @throws MachineError DASHBOARD_BUILD_FAILED, or the signal's reason
 */
export async function ensureDashboard(options: {
  root: string;
  logger: Logger;
  signal?: AbortSignal;
}): Promise<void> {
  const { root, logger, signal } = options;
  const dist = join(root, 'web', 'dist');
  const stampFile = join(dist, '.built-from');
  if (!existsSync(join(root, 'web', 'src'))) return;
  const stamp = hashOf(root);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  logger.info('building the dashboard (first start, or its sources changed)');
  await build(root, signal);
  mkdirSync(dist, { recursive: true });
  writeFileSync(stampFile, stamp);
}

async function build(root: string, signal: AbortSignal | undefined): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--config', join(root, 'web', 'vite.config.ts')];
  try {
    await run(process.execPath, args, {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    const output = said.trim().split('\n').slice(-5).join(' / ');
    throw new MachineError(
      'DASHBOARD_BUILD_FAILED',
      `The dashboard could not be built; run \`npm run web:build\` to see why. Output: ${output}`,
    );
  }
}

/** Returns a hash of the dashboard's sources and of package-lock.json. */
function hashOf(root: string): string {
  const hash = createHash('sha256');
  const web = join(root, 'web');
  const files = readdirSync(web, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(web, 'dist')))
    .sort();
  for (const path of [...files, join(root, 'package-lock.json')])
    hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest('hex');
}
