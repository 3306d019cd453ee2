import { basename } from 'node:path';
import type { CaseCall, CaseTool } from '../document.ts';
import type { Budget, Source } from './source.ts';

type Row = Record<string, unknown>;
type TelemetryCall = Pick<CaseCall, 'arguments' | 'output'>;

/** Fields that name a row, the first of them that a row has. */
const NAMES = [
  'name',
  'pod_name',
  'pod',
  'deployment',
  'node_name',
  'service',
  'involved_object',
  'metric_name',
];

interface Telemetry {
  tool: Omit<CaseTool, 'server'>;
  calls: TelemetryCall[];
}

/**
 * Makes a tool of a file with telemetry. Without arguments it returns the whole file, with a namespace or name the
 * matching rows. The recording has one call for each namespace, name and pair of both that occurs, so that a miss means
 * that there is none.
 */
export async function telemetryTool(source: Source, file: string, budget: Budget): Promise<Telemetry> {
  const { data } = await source.json(file, budget);
  const whole = await source.text(file, { ...budget });
  const rows = listsOf(data).flat();
  const filters: [name: string, of: (row: Row) => string | null][] = [
    ['namespace', namespaceOf],
    ['name', nameOf],
  ];
  const used = filters.filter(([, of]) => rows.some((row) => of(row) !== null));
  const asked = new Map<string, Record<string, string>>();
  for (const row of rows)
    for (const combination of [[0], [1], [0, 1]]) {
      const parts = combination.map((index): [string, string | null] => [
        filters[index]![0],
        filters[index]![1](row),
      ]);
      if (parts.some(([, value]) => value === null)) continue;
      const args = Object.fromEntries(parts) as Record<string, string>;
      asked.set(JSON.stringify(args), args);
    }
  const calls = [...asked]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, args]) => ({
      arguments: args,
      output: filtered(data, (row) =>
        filters.every(([name, of]) => args[name] === undefined || of(row) === args[name]),
      ),
    }));
  const name = basename(file, '.json')
    .replace(/[^\w-]/g, '_')
    .slice(0, 64);
  const title = name.replaceAll('_', ' ');
  const properties = Object.fromEntries(
    used.map(([key]) => [key, { type: 'string', description: `Exact ${key}; empty for all.` }]),
  );
  return {
    tool: {
      name,
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

const namespaceOf = (row: Row): string | null => textIn(row, 'namespace');

function nameOf(row: Row): string | null {
  const key = NAMES.find((one) => textIn(row, one) !== null);
  return key === undefined ? null : textIn(row, key)!.split('/').at(-1)!;
}

function textIn(row: Row, key: string): string | null {
  const value = Object.hasOwn(row, key) ? row[key] : null;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
