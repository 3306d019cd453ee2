import { stringify } from 'yaml';
import { hideUrlSecrets } from './describe.ts';
import { formatDuration } from './durations.ts';
import { toConfigSpelling } from './enums.ts';
import type { EnvironmentRecord } from './env.ts';
import { ConfigError, EnvironmentError } from './errors.ts';
import { KEY_PATTERNS, SECRET_KEYS } from './key-visibility.ts';
import { loadConfig } from './load.ts';
import { childPattern } from './schema-tree.ts';
import { policyTable } from './tool-policy.ts';
import type { Config } from './types.ts';

const HIDDEN = '***';

/** Properties whose key in the files is not simply the snake-case form of their name. */
const FILE_KEYS: Readonly<Record<string, string>> = {
  ...{ chains: 'agent_chains', VIEWER: 'viewer', RESPONDER: 'responder', ADMIN: 'admin' },
};

const ENUM_KEYS = new Set(['iterationStrategy', 'successPolicy', 'escalate']);

/** Loads the configuration as a start does; prints it or its problems. @returns the exit code: 0 if valid, else 1 */
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
 * Returns the resolved configuration as YAML, after comments about files, warnings and tool policies. `***` replaces
 * the values of secret keys and secret-looking variables, and credentials and queries in URLs.
 */
export function printConfig(config: Config): string {
  const comments = [
    `files: ${config.files.length === 0 ? 'none, built-ins only' : config.files.join(', ')}`,
    `LLM provider: ${config.providerChoice.name} (${config.providerChoice.reason})`,
    ...config.warnings.map((warning) => `warning: ${warning}`),
    ...Object.values(config.mcpServers).flatMap((server) => [
      `tools of ${server.id}, by pattern; the first match applies (the server was not contacted):`,
      ...aligned(policyTable(server)).map((line) => `  ${line}`),
    ]),
  ].map((line) => `# ${config.redact(line)}\n`);
  const layout = { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false } as const;
  return comments.join('') + stringify(printMapping(config, '', config.redact), layout);
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}

type Redact = (text: string) => string;

/**
 * Converts a mapping to the files' keys, without properties that files lack (`origin`). @param pattern see
 * key-visibility.ts
 */
function printMapping(mapping: object, pattern: string, redact: Redact): Record<string, unknown> {
  const printed: Record<string, unknown> = {};
  const named = childPattern(pattern, '<name>');
  for (const [key, value] of Object.entries(mapping)) {
    const place = childPattern(pattern, fileKey(key));
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if (value === null || (SECRET_KEYS.has(place) && isEmptyList)) continue;
    if (KEY_PATTERNS.has(named)) printed[key] = printValue(value, '', named, redact);
    else if (KEY_PATTERNS.has(place)) printed[fileKey(key)] = printValue(value, key, place, redact);
  }
  return printed;
}

/** Returns a value in the files' format. @param key name of its property in the program; '' for an entry or item */
function printValue(value: unknown, key: string, pattern: string, redact: Redact): unknown {
  if (SECRET_KEYS.has(pattern)) return HIDDEN;
  if (typeof value === 'number' && key.endsWith('Ms')) return formatDuration(value);
  if (typeof value === 'string') {
    return ENUM_KEYS.has(key) ? toConfigSpelling(value) : hideUrlSecrets(redact(value));
  }
  if (Array.isArray(value)) return value.map((item) => printValue(item, '', `${pattern}[]`, redact));
  return typeof value === 'object' && value !== null ? printMapping(value, pattern, redact) : value;
}

function fileKey(key: string): string {
  const plain = key.replace(/Ms$/, '');
  return FILE_KEYS[key] ?? plain.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
