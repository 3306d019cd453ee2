import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CaseError } from '../errors.ts';
import { writeCaseFolder } from '../folder.ts';
import { cloudOpsBench } from './cloud-opsbench.ts';
import { holmesGpt } from './holmesgpt.ts';
import { completeCase, type Importer, type ImportOptions } from './importer.ts';
import { openSre } from './opensre.ts';
import { runLore } from './runlore.ts';
import { caseName, openSource } from './source.ts';

const IMPORTERS = {
  'cloud-opsbench': cloudOpsBench,
  holmesgpt: holmesGpt,
  opensre: openSre,
  runlore: runLore,
} as const satisfies Record<string, Importer>;

export type ImportFormat = keyof typeof IMPORTERS;
export const IMPORT_FORMATS = Object.keys(IMPORTERS) as ImportFormat[];

/** The result of one case. `REFUSED`: the format holds no case there. `BROKEN`: a file of it cannot be used. */
export type ImportResult =
  | { name: string; result: 'IMPORTED'; calls: number }
  | { name: string; result: 'REFUSED' | 'BROKEN'; reason: string };

/**
 * Writes the cases of a folder in a foreign format into case folders under `out`, one after the other. A case is
 * written as a whole or not at all. Reports each with `ended`.
 * @throws CaseError if the folder cannot be read, or has no case
 */
export async function importCases(
  { format, folder, out, ...options }: ImportOptions & { format: ImportFormat; folder: string; out: string },
  ended: (result: ImportResult) => void,
): Promise<void> {
  const source = await openSource(folder);
  const { paths, read } = await IMPORTERS[format](source, options);
  if (paths.length === 0)
    throw new CaseError([
      { file: folder, line: 0, path: '', message: `has no case of the format ${format}` },
    ]);
  const taken = new Set<string>();
  await mkdir(out, { recursive: true });
  for (const path of paths) {
    const name = caseName(source.root, path);
    const file = source.shown(path);
    try {
      if (taken.has(name)) throw source.problem(path, 0, `another case is named ${name}, too`);
      taken.add(name);
      const found = await read(path);
      if (typeof found === 'string') {
        ended({ name, result: 'REFUSED', reason: found });
        continue;
      }
      const document = completeCase(options, { name, file }, found);
      await writeCaseFolder(join(out, name), document);
      ended({ name, result: 'IMPORTED', calls: document.calls.length });
    } catch (error) {
      if (!(error instanceof CaseError)) throw error;
      ended({ name, result: 'BROKEN', reason: error.message });
    }
  }
}
