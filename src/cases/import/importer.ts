import { CASE_FORMAT, type CaseDocument, caseDocument } from '../document.ts';
import { CaseError, checked, checkReferences } from '../errors.ts';
import type { Source } from './source.ts';

export interface ImportOptions {
  /** Alert type of the cases, which selects the chain. */
  alertType: string;
  /** MCP server to which the tools belong. */
  server: string;
  /** Time of all cases (ISO 8601); `null` if it is taken from the files. */
  recordedAt: string | null;
}

/** A case as an importer reads it. `name` and constant parts are added. */
export type ReadCase = Omit<Partial<CaseDocument>, 'format' | 'name' | 'calls' | 'tools' | 'expect'> & {
  alert: string;
  recorded_at: string;
  tools: readonly object[];
  calls: readonly object[];
  expect?: Partial<CaseDocument['expect']>;
};

/** The cases that a source has in one format. */
export interface FoundCases {
  /** Paths of the cases: folders, or files if a file is a case. */
  paths: readonly string[];
  /**
   * Reads one case. A string is the reason why the format cannot give a case of it.
   * @throws CaseError with file and line
   */
  read(path: string): Promise<ReadCase | string>;
}

/** Finds the cases of one format. A broken case makes only its own reading fail. */
export type Importer = (source: Source, options: ImportOptions) => Promise<FoundCases>;

/** Completes and checks a case as if it had been read from a file. @throws CaseError */
export function completeCase(
  { alertType, recordedAt }: ImportOptions,
  place: { name: string; file: string },
  read: ReadCase,
): CaseDocument {
  const locate = () => ({ file: place.file, line: 0 });
  const document = checked<CaseDocument>(
    caseDocument,
    {
      ...{ format: CASE_FORMAT, name: place.name, alert_type: alertType },
      ...read,
      recorded_at: recordedAt ?? read.recorded_at,
    },
    locate,
  );
  checkReferences(document, locate);
  return document;
}

/** Returns a time as ISO 8601 with a zone. Without a zone it is UTC. `null` if it is no time. */
export function isoTime(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return null;
  const date = new Date(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Returns the cause as a check. A choice between fewer than two causes checks nothing, so that it is left out. */
export function causeCheck(
  cause: string,
  causes: Iterable<string>,
): Partial<Pick<CaseDocument['expect'], 'cause' | 'causes'>> {
  const all = [...new Set([...causes, cause])].sort();
  return all.length < 2 ? {} : { cause, causes: all };
}

/** Returns the results of reading parts that belong to all cases. Broken ones are left out, because their case reports them. */
export async function readAll<T>(paths: readonly string[], read: (path: string) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const path of paths)
    try {
      found.push(await read(path));
    } catch (error) {
      if (!(error instanceof CaseError)) throw error;
    }
  return found;
}
