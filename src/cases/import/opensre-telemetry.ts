import { basename } from 'node:path';
import type { CaseCall, CaseTool } from '../document.ts';
import { type Budget, parseJson, type Source } from './source.ts';

type Row = Record<string, unknown>;
type TelemetryCall = Pick<CaseCall, 'arguments' | 'output'>;

/** Fields that name a row. The first one that all rows of a file have is a filter. */
const NAMES = [
  'name',
  'pod_name',
  'pod',
  'deployment',
  'node_name',
  'service',
  'involved_object',
  'metric_name',
  'source_identifier',
];

interface Telemetry {
  tool: Omit<CaseTool, 'server'>;
  calls: TelemetryCall[];
}

/**
 * Makes a tool of a file with telemetry. Without arguments it returns the whole file, otherwise the rows of a namespace,
 * of a name, or of both. The recording has one call for each combination that occurs, so that a miss means that there is
 * none. Fields that some rows lack are no filters, because a miss would then hide those rows.
 */
export async function telemetryTool(source: Source, file: string, budget: Budget): Promise<Telemetry> {
  const whole = await source.text(file, budget);
  const { data } = parseJson(source.shown(file), whole);
  const rows = listsOf(data).flat();
  const isFilter = (key: string) => rows.length > 0 && rows.every((row) => textIn(row, key) !== null);
  const name = NAMES.find(isFilter);
  const filters = [...(isFilter('namespace') ? ['namespace'] : []), ...(name === undefined ? [] : [name])];
  const combinations = [...filters.map((key) => [key]), ...(filters.length > 1 ? [filters] : [])];
  const asked = new Map<string, Record<string, string>>();
  for (const row of rows)
    for (const keys of combinations) {
      const args = Object.fromEntries(keys.map((key) => [key, textIn(row, key)!]));
      asked.set(JSON.stringify(args), args);
    }
  const calls = [...asked]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, args]) => ({
      arguments: args,
      output: filtered(data, (row) => Object.keys(args).every((key) => textIn(row, key) === args[key])),
    }));
  const title = basename(file, '.json').replaceAll('_', ' ');
  const properties = Object.fromEntries(
    filters.map((key) => [key, { type: 'string', description: `Exact ${key}; empty for all.` }]),
  );
  return {
    tool: {
      name: basename(file, '.json')
        .replace(/[^\w-]/g, '_')
        .slice(0, 64),
      description: `Returns ${title} as JSON.`,
      input_schema: { type: 'object', properties, additionalProperties: false },
      annotations: { read_only: true },
      not_found: `Not found: no ${title} match these arguments.`,
    },
    calls: [{ arguments: {}, output: whole }, ...calls],
  };
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow);

/** Returns the lists of rows in a file: the file itself, or those that are fields of it. */
function listsOf(data: unknown): Row[][] {
  if (isList(data)) return [data];
  return isRow(data) ? Object.values(data).filter(isList) : [];
}

/** Returns a file with the rows that match. */
function filtered(data: unknown, matches: (row: Row) => boolean): string {
  const keep = (value: unknown) => (isList(value) ? value.filter(matches) : value);
  const kept = isRow(data)
    ? Object.fromEntries(Object.entries(data).map(([key, value]) => [key, keep(value)]))
    : keep(data);
  return JSON.stringify(kept, null, 2);
}

function textIn(row: Row, key: string): string | null {
  const value = Object.hasOwn(row, key) ? row[key] : null;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
