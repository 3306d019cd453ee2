import { stringify } from 'yaml';
import { formatDuration } from './durations.ts';
import { toConfigSpelling } from './enums.ts';
import type { EnvironmentRecord } from './env.ts';
import { ConfigError, EnvironmentError } from './errors.ts';
import { loadConfig } from './load.ts';
import { policyTable } from './tool-policy.ts';
import type { Config } from './types.ts';
import { hideUserInfo } from './url-secrets.ts';

const HIDDEN = '***';

/** Written in the files under another name than in the program. */
const FILE_KEYS: Readonly<Record<string, string>> = { chains: 'agent_chains' };

/** Their keys are names that the operator chose, or names of another system. */
const NAMED = new Set([
  'mcpServers',
  'agents',
  'chains',
  'llmProviders',
  'nativeTools',
  'env',
  'customHeaders',
  'sources',
  'modelPrices',
  'budgets',
]);

/** Not keys of the files: an entry's own name, where it comes from, values of variables. */
const ENTRY_ONLY = new Set(['id', 'origin', 'project', 'location']);
const SECRET_KEYS = new Set(['bearerToken', 'tokens', 'secrets', 'passwords']);
const SECRET_MAPS = new Set(['env', 'customHeaders']);
const ENUM_KEYS = new Set(['iterationStrategy', 'successPolicy']);

/**
 * Checks the configuration as a start would and writes the result for a person.
 * @returns the exit code: 0 = usable, 1 = not
 */
export async function configCheck(options: {
  dir: string;
  env: EnvironmentRecord;
  out: { write(text: string): unknown };
}): Promise<number> {
  try {
    const config = await loadConfig({ dir: options.dir, env: options.env });
    options.out.write(printConfig(config));
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof EnvironmentError)) throw error;
    options.out.write(`${error.message}\n`);
    return 1;
  }
}

/**
 * The resolved configuration as YAML with the keys of the files, all defaults and built-ins in it. Tokens,
 * header and environment values, credentials in URLs and all that came from secret-looking variables are `***`.
 */
export function printConfig(config: Config): string {
  const {
    queue,
    system,
    auth,
    api,
    defaults,
    intake,
    modelPrices,
    budgets,
    mcpServers,
    agents,
    chains,
    llmProviders,
  } = config;
  const sections = {
    ...{ queue, system, auth, api, defaults, intake, modelPrices, budgets },
    ...{ mcpServers, agents, chains, llmProviders },
  };
  const head = [
    `files: ${config.files.length === 0 ? 'none, built-ins only' : config.files.join(', ')}`,
    `LLM provider: ${config.providerChoice.name} (${config.providerChoice.reason})`,
    ...config.warnings.map((warning) => `warning: ${warning}`),
    ...Object.values(mcpServers).flatMap((server) => [
      `tools of ${server.id}, by pattern, the first that fits (the server was not asked):`,
      ...aligned(policyTable(server)).map((line) => `  ${line}`),
    ]),
  ];
  const comments = head.map((line) => `# ${config.redact(line)}\n`).join('');
  return (
    comments +
    stringify(printMapping(sections, '', config.redact), {
      lineWidth: 0,
      blockQuote: 'literal',
      aliasDuplicateObjects: false,
    })
  );
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

type Redact = (text: string) => string;

function printMapping(mapping: object, parentKey: string, redact: Redact): Record<string, unknown> {
  const printed: Record<string, unknown> = {};
  const isNamed = NAMED.has(parentKey);
  for (const [key, value] of Object.entries(mapping)) {
    if (value === null) continue;
    if (isNamed)
      printed[key] = SECRET_MAPS.has(parentKey) ? HIDDEN : printValue(withoutOwnName(value), '', redact);
    else if (!ENTRY_ONLY.has(key)) printed[fileKey(key)] = printValue(value, key, redact);
  }
  return printed;
}

function printValue(value: unknown, key: string, redact: Redact): unknown {
  if (SECRET_KEYS.has(key)) return HIDDEN;
  if (typeof value === 'number' && key.endsWith('Ms')) return formatDuration(value);
  if (typeof value === 'string') {
    return ENUM_KEYS.has(key) ? toConfigSpelling(value) : hideUserInfo(redact(value));
  }
  if (Array.isArray(value)) return value.map((item) => printValue(item, '', redact));
  return typeof value === 'object' && value !== null ? printMapping(value, key, redact) : value;
}

/** Agents and providers carry the name that is their key; a stage's name is a key of its own. */
function withoutOwnName(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null || !('origin' in entry) || !('name' in entry)) return entry;
  const { name: _, ...rest } = entry;
  return rest;
}

function fileKey(key: string): string {
  const plain = key.replace(/Ms$/, '');
  return FILE_KEYS[key] ?? plain.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
