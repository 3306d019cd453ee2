import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib/dev-python.ts';

interface Bom {
  bomFormat: string;
  components: { purl: string; licenses?: unknown[] }[];
}

it('describes every package of the server and the dashboard, and no development tool', () => {
  const printed = execFileSync(process.execPath, [join(ROOT, 'scripts/sbom.ts')], { encoding: 'utf8' });
  const bom = JSON.parse(printed) as Bom;
  expect(bom.bomFormat).toBe('CycloneDX');
  const described = bom.components.map(({ purl }) => decodeURIComponent(purl));
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: true; optional?: true; devOptional?: true }>;
  };
  const shipped = Object.entries(packages)
    .filter(([path, { dev, optional, devOptional }]) => path && !dev && !optional && !devOptional)
    .map(([path, { version }]) => `pkg:npm/${path.split('node_modules/').at(-1)}@${version}`);
  expect(shipped.length).toBeGreaterThan(200);
  expect(shipped.filter((purl) => !described.includes(purl))).toEqual([]);
  const named = (name: string) => described.some((purl) => purl.startsWith(`pkg:npm/${name}@`));
  const some = ['react', '@mui/material', 'kubernetes-mcp-server', 'vitest', 'typescript', 'playwright-core'];
  expect(some.filter(named)).toEqual(['react', '@mui/material', 'kubernetes-mcp-server']);
  expect(bom.components.filter(({ licenses }) => !licenses?.length)).toEqual([]);
});
