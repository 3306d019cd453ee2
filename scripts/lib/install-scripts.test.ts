import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './dev-python.ts';

it('installs npm packages without running their install scripts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tarsy-install-'));
  const ran = join(folder, 'ran');
  const add = (name: string, manifest: object) => {
    mkdirSync(join(folder, name));
    writeFileSync(
      join(folder, name, 'package.json'),
      JSON.stringify({ name, version: '1.0.0', ...manifest }),
    );
  };
  const npm = (name: string, ...args: string[]) =>
    execFileSync('npm', args, { cwd: join(folder, name), stdio: 'pipe' });
  add('package', { scripts: { install: `node -e "fs.writeFileSync('${ran}', '')"` } });
  npm('package', 'pack');
  add('project', { dependencies: { package: 'file:../package/package-1.0.0.tgz' } });
  cpSync(join(ROOT, '.npmrc'), join(folder, 'project/.npmrc'));
  npm('project', 'install', '--offline', '--no-audit');
  expect(existsSync(join(folder, 'project/node_modules/package'))).toBe(true);
  expect(existsSync(ran)).toBe(false);
  rmSync(folder, { recursive: true });
});
