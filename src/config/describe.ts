import { z } from 'zod';
import { formatDuration } from './durations.ts';
import { toConfigSpelling } from './enums.ts';
import type { EnvironmentRecord } from './env.ts';
import { looksSecret } from './interpolate.ts';
import { HIDDEN_KEYS, HIDDEN_VARIABLES, SHOWN_KEYS, SHOWN_VARIABLES } from './key-visibility.ts';
import { providersSchema, tarsySchema } from './schema.ts';
import {
  alternatives,
  childPattern,
  entrySchema,
  isSchema,
  type JsonSchema,
  objectItems,
} from './schema-tree.ts';
import { formatPath, type Path, type SourceFile } from './source-file.ts';
import type { Config, DescribedValue } from './types.ts';

export interface DescribedVariable {
  readonly name: string;
  /** `null` if the value is hidden. */
  readonly value: string | null;
  readonly hidden: boolean;
}

/** The parsed configuration files; `null` if a file is missing. */
export interface ConfigSources {
  readonly tarsy: SourceFile | null;
  readonly providers: SourceFile | null;
}

/** Returns the resolved values of all keys that are set, in the order of the schemas. */
export function describeConfig(
  config: Config,
  sources: ConfigSources,
  env: EnvironmentRecord,
): DescribedValue[] {
  const { mcpServers, chains, llmProviders, ...sections } = config;
  const tarsy = { ...sections, mcp_servers: mcpServers, agent_chains: chains };
  const leaves = [
    ...leavesOf(schemaOf(tarsySchema), tarsy, [], ''),
    ...leavesOf(schemaOf(providersSchema), { llm_providers: llmProviders }, [], ''),
  ];
  return leaves.flatMap(({ path, pattern, value }) => {
    if (!SHOWN_KEYS.has(pattern) && !HIDDEN_KEYS.has(pattern)) return [];
    const from = originOf(path, sources, config, env);
    const holdsSecret = from.from === 'FILE' && from.variables.some(looksSecret);
    const hidden = HIDDEN_KEYS.has(pattern) || holdsSecret;
    return {
      path: formatPath(path),
      value: hidden ? null : displayValue(value, config.redact),
      hidden,
      ...from,
    };
  });
}

/** Returns the variables of `readEnvironment` that are set. Omits variables that only the configuration files name. */
export function describeEnvironment(env: EnvironmentRecord): DescribedVariable[] {
  const set = (name: string): boolean => (env[name]?.trim() ?? '') !== '';
  return [
    ...SHOWN_VARIABLES.filter(set).map((name) => ({ name, value: env[name]!.trim(), hidden: false })),
    ...HIDDEN_VARIABLES.filter(set).map((name) => ({ name, value: null, hidden: true })),
  ];
}

interface Leaf {
  path: Path;
  pattern: string;
  value: unknown;
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input' });
}

/** Returns the values inside `value` that have a key in the schema. Skips `null`, because it means "not set". */
function leavesOf(schema: JsonSchema, value: unknown, path: Path, pattern: string): Leaf[] {
  if (value === null || value === undefined) return [];
  const forms = alternatives(schema);
  if (Array.isArray(value)) {
    const items = forms.flatMap(objectItems);
    if (items.length === 0) return [{ path, pattern, value }];
    return value.flatMap((item, index) => keysOf(items, item, [...path, index], `${pattern}[]`));
  }
  return typeof value === 'object' ? keysOf(forms, value, path, pattern) : [{ path, pattern, value }];
}

function keysOf(forms: readonly JsonSchema[], value: object, path: Path, pattern: string): Leaf[] {
  const known = new Set(forms.flatMap(({ properties }) => Object.keys(properties ?? {})));
  const named = forms.map(entrySchema).filter((form) => form !== null);
  return [
    ...[...known].flatMap((key) => {
      const anyOf = forms.flatMap(({ properties }) => {
        const inner: unknown = properties?.[key];
        return isSchema(inner) ? [inner] : [];
      });
      return leavesOf({ anyOf }, resolvedValue(value, key), [...path, key], childPattern(pattern, key));
    }),
    ...(named.length === 0
      ? []
      : Object.entries(value).flatMap(([name, inner]) =>
          leavesOf({ anyOf: named }, inner, [...path, name], childPattern(pattern, '<name>')),
        )),
  ];
}

const ENUM_KEYS = new Set(['iteration_strategy', 'success_policy']);

/** Returns the resolved value of a configuration key in the format of the files: durations and enums are texts. */
function resolvedValue(value: object, key: string): unknown {
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const name = [key, camel, `${camel}Ms`, key.toUpperCase()].find((one) => Object.hasOwn(value, one));
  const found: unknown = name === undefined ? undefined : Reflect.get(value, name);
  if (typeof found === 'number' && name === `${camel}Ms`) return formatDuration(found);
  return typeof found === 'string' && ENUM_KEYS.has(key) ? toConfigSpelling(found) : found;
}

function originOf(
  path: Path,
  { tarsy, providers }: ConfigSources,
  config: Config,
  env: EnvironmentRecord,
): Pick<DescribedValue, 'from' | 'file' | 'line' | 'variables'> {
  const source = path[0] === 'llm_providers' ? providers : tarsy;
  // The file may write a sub-agent as its name alone, without the `name` key.
  const isShorthandName = path.at(-3) === 'sub_agents' && path.at(-1) === 'name';
  const written =
    source?.position(path) ?? (isShorthandName ? source?.position(path.slice(0, -1)) : null) ?? null;
  const nowhere = { file: null, line: null };
  const decided = decidingVariable(formatPath(path), written !== null, config, env);
  if (decided !== null) return { from: 'ENVIRONMENT', ...nowhere, variables: [decided] };
  if (source === null || written === null) return { from: 'BUILT_IN', ...nowhere, variables: [] };
  return { from: 'FILE', file: source.file, ...written };
}

/** Returns the environment variable that overrides the file's value or replaces a missing one; `null` if none does. */
function decidingVariable(
  path: string,
  isWritten: boolean,
  { providerChoice, llmProviders }: Config,
  env: EnvironmentRecord,
): string | null {
  const key = llmProviders[providerChoice.name]?.apiKeyEnv ?? null;
  const overriding: Readonly<Record<string, string>> = { 'queue.worker_concurrency': 'WORKER_CONCURRENCY' };
  const filling: Readonly<Record<string, string | null>> = {
    'system.dashboard_url': 'HTTP_PORT',
    'system.allowed_origins': 'NODE_ENV',
    'api.introspection': 'NODE_ENV',
    'api.graphiql': 'NODE_ENV',
    'defaults.llm_provider': key,
  };
  const name = overriding[path] ?? (isWritten ? null : filling[path]) ?? null;
  return name !== null && env[name] ? name : null;
}

function displayValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return hideUrlSecrets(redact(value));
  return Array.isArray(value) ? value.map((item) => displayValue(item, redact)) : value;
}

/** Replaces user, password and query of all URLs in a text by `***`, because queries often contain keys. */
export function hideUrlSecrets(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi, '$1***@')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^?\s#]+)\?[^#\s]+/gi, '$1?***');
}
