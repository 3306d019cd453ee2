import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './dev-python.ts';
import { bundledPackages, renderNotice, section } from './notice.ts';

it('lists every package that is shipped, with its licence', async () => {
  const notice = await renderNotice();
  const committed = readFileSync(join(ROOT, 'NOTICE'), 'utf8');
  expect(committed, 'NOTICE is out of date: run `npm run notice`').toBe(notice);
  for (const line of [
    'graphql: MIT',
    'kubernetes-mcp-server: Apache-2.0',
    'react: MIT',
    'httpx2: BSD-3-Clause',
    'azure-identity: MIT',
  ])
    expect(notice.split('\n')).toContain(line);
});

it('ships the licence text of every package in the dashboard', () => {
  const text = readFileSync(join(ROOT, 'web/dist/licenses.txt'), 'utf8');
  const sections = text.split(/^## /m).slice(1);
  expect(sections.length).toBe(bundledPackages().length);
  const bare = sections.filter((section) => !/copyright|permission/i.test(section));
  expect(bare.map((section) => section.split(' - ')[0])).toEqual([]);
});

it.each(['AGPL-3.0-only', 'MIT AND GPL-2.0-only', 'UNLICENSED', 'SEE LICENSE IN LICENSE.md'])(
  'refuses to ship a package with the licence %s',
  (licence) => {
    expect(() => section('Server', [{ name: 'new', licence }])).toThrow('The package new has the licence');
  },
);

it('ships a package that one may use under a permitted licence', () => {
  expect(section('Server', [{ name: 'new', licence: '(MIT OR GPL-3.0-only)' }])).toContain('new: (MIT OR');
});
