/**
 * Builds the documentation site from docs/ and checks its links.
 *
 *   npm run docs:site -- --out .tarsy/site --sources https://git.example.com/tarsy/blob/main
 *
 * `--sources` (or DOCS_SOURCES_URL) is the address before the path of a source file. Without it, links from the docs to
 * sources are shown as code. The first build installs MkDocs into .tarsy/python-site.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../lib/dev-python.ts';
import { buildSite } from './site.ts';

const { values } = parseArgs({
  options: { out: { type: 'string' }, sources: { type: 'string' } },
});
process.stdout.write('Building the site. The first time installs MkDocs, which takes about a minute.\n');
const out = resolve(values.out ?? resolve(ROOT, '.tarsy/site'));
const problems = await buildSite({ out, sources: values.sources ?? process.env.DOCS_SOURCES_URL ?? null });
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length === 0)
  process.stdout.write(`The site is in ${out}. To look at it: python3 -m http.server -d ${out}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
