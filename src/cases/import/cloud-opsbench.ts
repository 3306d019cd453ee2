import { dirname } from 'node:path';
import { z } from 'zod';
import { checked } from '../errors.ts';
import { toolsOf } from './cloud-opsbench-tools.ts';
import { causeCheck, type Importer, isoTime, readAll } from './importer.ts';
import { fileIn, newBudget, type Source } from './source.ts';

const METADATA = 'metadata.json';
const CACHE = 'tool_cache.json';
const TIMESTAMP = 'collection_timestamp';

const metadata = z.looseObject({
  namespace: z.string().default(''),
  query: z.string().trim().min(1),
  result: z.looseObject({
    fault_taxonomy: z.string().optional(),
    fault_object: z.string().trim().min(1),
    root_cause: z.string().trim().min(1),
  }),
});
type Metadata = z.output<typeof metadata>;

/**
 * Cloud-OpsBench: a folder with `metadata.json` and `tool_cache.json`, a snapshot of a cluster. The causes to choose
 * from are those of all cases in the source.
 */
export const cloudOpsBench: Importer = async (source, { server }) => {
  const paths = source.files
    .filter((file) => file === METADATA || file.endsWith(`/${METADATA}`))
    .map((file) => dirname(file));
  const results = (await readAll(paths, (path) => readMetadata(source, path))).map(({ result }) => result);
  const causes = results.map(({ root_cause }) => root_cause);
  const kinds = results.map(({ fault_object }) => fault_object.split('/')[0]!);
  return {
    paths,
    async read(path) {
      const { query, namespace, result } = await readMetadata(source, path);
      const { calls, time } = await readCache(source, fileIn(path, CACHE));
      return {
        world: 'closed',
        recorded_at: time,
        alert: alertOf(query, namespace, kinds),
        notes: `Imported from Cloud-OpsBench.${result.fault_taxonomy ? ` Taxonomy: ${result.fault_taxonomy}.` : ''}`,
        expect: { entities: [result.fault_object], ...causeCheck(result.root_cause, causes) },
        tools: toolsOf(server, calls, namespace),
        calls: calls.map((call) => ({ ...call, server })),
      };
    },
  };
};

async function readMetadata(source: Source, path: string): Promise<Metadata> {
  const { data, locate } = await source.json(fileIn(path, METADATA), newBudget());
  return checked<Metadata>(metadata, data, locate);
}

/** Returns the alert. The form of names is part of it, so that the name of the faulty object can be compared. */
function alertOf(query: string, namespace: string, kinds: readonly string[]): string {
  const forms = [...new Set(kinds)].sort().map((kind) => `${kind}/NAME`);
  const place = namespace === '' ? [] : [`Namespace: ${namespace}`];
  const rule = `Write the faulty object into the entities of the report as ${forms.join(' or ')}.`;
  return [query, ...place, rule].join('\n\n');
}

interface CachedCall {
  tool: string;
  arguments: Record<string, unknown>;
  output: string;
}

async function readCache(source: Source, file: string): Promise<{ calls: CachedCall[]; time: string }> {
  const { data, locate } = await source.json(file, newBudget());
  const cache = checked<Record<string, unknown>>(z.record(z.string(), z.unknown()), data, locate);
  const fail = (key: string, message: string) => source.problem(file, locate([key]).line, message);
  const { [TIMESTAMP]: written, ...answers } = cache;
  const time = isoTime(String(written));
  if (time === null) throw fail(TIMESTAMP, `${TIMESTAMP} must be a time such as 2026-01-02T03:04:05`);
  const calls = Object.entries(answers).map(([key, answer]) => {
    const [, tool, args] = /^(\w{1,64}):(\{.*\})$/s.exec(key) ?? [];
    const parsed = args === undefined ? null : parseObject(args);
    if (tool === undefined || parsed === null)
      throw fail(key, `the key ${key.slice(0, 100)} is not TOOL:JSON, such as GetAlerts:{}`);
    return { tool, arguments: parsed, output: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  });
  return { calls, time };
}

/** Returns the object that a JSON text is; `null` if it is none. */
function parseObject(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return null;
  }
}
