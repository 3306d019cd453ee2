/**
 * Prints the CycloneDX SBOM of the server's image: its npm packages, and those from which the dashboard is built.
 *
 *   npm run sbom --silent > tarsy.cdx.json
 *
 * `npm sbom --omit=dev` leaves out packages that development tools need too, such as graphql. So npm describes a
 * project without development tools, with the versions of package-lock.json.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { ensureDashboard } from '../src/machine/dashboard-build.ts';
import { ROOT } from './lib/dev-python.ts';
import { bundledPackages, KEPT_PACKAGE } from './lib/notice.ts';

await ensureDashboard({ root: ROOT, logger: pino({ level: 'silent' }) });
const shipped = new Set([KEPT_PACKAGE, ...bundledPackages().map(({ name }) => name)]);
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>;
  optionalDependencies?: unknown;
};
manifest.devDependencies = Object.fromEntries(
  Object.entries(manifest.devDependencies).filter(([name]) => shipped.has(name)),
);
delete manifest.optionalDependencies;

const folder = mkdtempSync(join(tmpdir(), 'tarsy-sbom-'));
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  copyFileSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
  npm('install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit');
  process.stdout.write(npm('sbom', '--package-lock-only', '--omit=optional', '--sbom-format=cyclonedx'));
} finally {
  rmSync(folder, { recursive: true });
}

function npm(...args: string[]): string {
  return execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
}
