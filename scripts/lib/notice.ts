import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { ensureDashboard } from '../../src/machine/dashboard-build.ts';
import { devPython, ROOT } from './dev-python.ts';

/** A package of others that is shipped, with its licence as the package states it. */
interface Licensed {
  name: string;
  licence: string | null;
}

/** The development package that the server's image keeps, because the configuration of `kubernetes-server` starts it. */
export const KEPT_PACKAGE = 'kubernetes-mcp-server';

/** Matches licences under which TARSy may ship a package: permissive ones, and MPL-2.0, which covers single files. */
const PERMITTED =
  /^\(?(?:0BSD|(?:3-Clause )?BSD|MIT|ISC|Apache|MPL-2\.0|Mozilla|PSF|Python-2\.0|Unlicense)\b/;

/** Prints a JSON list of the installed Python packages with their licences. */
const PYTHON_LICENCES = `
import importlib.metadata, json
def licence(meta):
    names = [c.split(" :: ")[-1] for c in meta.get_all("Classifier", []) if c.startswith("License :: ")]
    return meta.get("License-Expression") or ", ".join(names) or meta.get("License")
print(json.dumps([{"name": d.name, "licence": licence(d.metadata)} for d in importlib.metadata.distributions()]))
`;

/**
 * Returns the text of the file NOTICE. Builds the dashboard and installs the Python packages, unless both are current.
 * Versions are left out, so that only a new package or licence changes the text.
 * @throws Error if a shipped package states no licence, or one that is not permitted
 */
export async function renderNotice(): Promise<string> {
  await ensureDashboard({ root: ROOT, logger: pino({ level: 'silent' }) });
  return [
    'TARSy\nLicensed under the Apache License, Version 2.0. See the file LICENSE.',
    'TARSy ships the following packages of others. `npm run notice` writes this file.',
    section('Server: in node_modules, with the licence texts that they contain', serverPackages()),
    section('Dashboard: bundled, with the licence texts in web/dist/licenses.txt', bundledPackages()),
    section(
      'LLM service: in site-packages, with the licence texts that they contain; some only for Azure and Bedrock',
      await pythonPackages(),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Returns the part of NOTICE about `packages`. Each licence must be permitted; of a choice (OR), one. */
export function section(title: string, packages: readonly Licensed[]): string {
  const lines = packages.map(({ name, licence }) => {
    if (licence === null || licence.includes('\n')) throw new Error(`The package ${name} states no licence.`);
    if (!licence.split(/ AND |, /).every((each) => each.split(' OR ').some((one) => PERMITTED.test(one))))
      throw new Error(`The package ${name} has the licence ${licence}, under which TARSy may not ship it.`);
    return `${name}: ${licence}`;
  });
  return `${title}\n\n${[...new Set(lines)].toSorted().join('\n')}`;
}

/** Returns what `npm ci --omit=dev --omit=optional` installs, and KEPT_PACKAGE. The lock repeats the licence of each package.json. */
function serverPackages(): Licensed[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { license?: string; dev?: true; optional?: true; devOptional?: true }>;
  };
  return Object.entries(packages)
    .filter(
      ([path, { dev, optional, devOptional }]) =>
        path === `node_modules/${KEPT_PACKAGE}` || (path !== '' && !dev && !optional && !devOptional),
    )
    .map(([path, { license }]) => ({ name: path.split('node_modules/').at(-1)!, licence: license ?? null }));
}

/** Returns the packages in the dashboard's scripts, from the headings of Vite's file of licences. */
export function bundledPackages(): Licensed[] {
  const text = readFileSync(join(ROOT, 'web/dist/licenses.txt'), 'utf8');
  return [...text.matchAll(/^## (\S+) - \d\S* \((.+)\)$/gm)].map(([, name, licence]) => ({
    name: name!,
    licence: licence!,
  }));
}

async function pythonPackages(): Promise<Licensed[]> {
  const locked = readFileSync(join(ROOT, 'llm-service/requirements-all.lock'), 'utf8');
  const names = [...locked.matchAll(/^(\S+)==/gm)].map(([, name]) => name!);
  const { stdout } = await promisify(execFile)(await devPython(), ['-c', PYTHON_LICENCES]);
  const installed = new Map(
    (JSON.parse(stdout) as Licensed[]).map(({ name, licence }) => [normalized(name), licence]),
  );
  return names.map((name) => ({ name, licence: installed.get(normalized(name)) ?? null }));
}

/** Returns the name as Python's package index compares names. */
function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
