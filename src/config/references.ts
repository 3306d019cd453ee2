import type { ConfigIssue } from './errors.ts';
import { REPLACED_PROVIDERS } from './models.ts';
import { ENTRY_NAME, type NameRule, SERVER_NAME } from './schema/common.ts';
import { MODEL_NAME } from './schema/costs.ts';
import type { Path, SourceFile } from './source-file.ts';
import { didYouMean } from './suggest.ts';

type ReferenceKind =
  | 'agent'
  | 'LLM provider'
  | 'MCP server'
  | 'alert type'
  | 'team'
  | 'alert source'
  | 'notification channel';

/** Names that references may use, by kind; `null` = every name is accepted. */
export type KnownNames = Readonly<Record<ReferenceKind, ReadonlySet<string> | null>>;

const FALLBACK = 'fallback_providers.*.provider';

const CHAIN = 'agent_chains.*';
const STAGE = `${CHAIN}.stages.*`;

/** Patterns of the mappings in tarsy.yaml that accept `overrideKeys`. */
const LEVELS = ['agents.*', CHAIN, STAGE, `${STAGE}.agents.*`, `${CHAIN}.chat`];
/** Patterns of all mappings that can override settings of agents: `LEVELS` and their sub-agents. */
export const OVERRIDE_LEVELS: readonly string[] = [
  ...LEVELS,
  ...LEVELS.map((level) => `${level}.sub_agents.*`),
];

/** Patterns of all values in tarsy.yaml that refer to an entry by its name; `*` matches any key or list index. */
const REFERENCES: readonly (readonly [pattern: string, kind: ReferenceKind])[] = [
  ['defaults.llm_provider', 'LLM provider'],
  [`defaults.${FALLBACK}`, 'LLM provider'],
  ['defaults.alert_type', 'alert type'],
  ['defaults.*.llm_provider', 'LLM provider'],
  ['intake.sources.*.alert_type', 'alert type'],
  ['intake.rules.*.alert_type', 'alert type'],
  ['intake.canary.alert_type', 'alert type'],
  ['mcp_servers.*.summarization.llm_provider', 'LLM provider'],
  ['budgets.*.cheaper_llm_provider', 'LLM provider'],
  ['intake.rules.*.team', 'team'],
  ['notifications.rules.*.teams.*', 'team'],
  ['notifications.rules.*.alert_types.*', 'alert type'],
  ['notifications.rules.*.sources.*', 'alert source'],
  ['notifications.rules.*.channels.*', 'notification channel'],
  ['schedules.*.alert_type', 'alert type'],
  ['schedules.*.team', 'team'],
  ['schedules.*.after', 'alert source'],
  [`${CHAIN}.team`, 'team'],
  [`${CHAIN}.executive_summary_provider`, 'LLM provider'],
  [`${CHAIN}.report.llm_provider`, 'LLM provider'],
  [`${CHAIN}.scoring.llm_provider`, 'LLM provider'],
  [`${CHAIN}.chat.agent`, 'agent'],
  [`${STAGE}.agents.*.name`, 'agent'],
  [`${STAGE}.synthesis.agent`, 'agent'],
  [`${STAGE}.synthesis.llm_provider`, 'LLM provider'],
  ...LEVELS.flatMap((level) => [
    [`${level}.sub_agents.*`, 'agent'] as const,
    [`${level}.sub_agents.*.name`, 'agent'] as const,
  ]),
  ...OVERRIDE_LEVELS.flatMap((level) => [
    [`${level}.llm_provider`, 'LLM provider'] as const,
    [`${level}.${FALLBACK}`, 'LLM provider'] as const,
    [`${level}.mcp_servers.*`, 'MCP server'] as const,
  ]),
];

/** Returns all references in the data of tarsy.yaml, even if other parts of the file are invalid. */
export function findReferences(data: unknown): { path: Path; kind: ReferenceKind; name: string }[] {
  return REFERENCES.flatMap(([pattern, kind]) =>
    valuesAt(data, pattern).flatMap(({ path, value }) =>
      typeof value === 'string' && value !== '' ? [{ path, kind, name: value }] : [],
    ),
  );
}

/** Returns an issue for each reference to a name that does not exist. */
export function checkReferences(source: SourceFile, known: KnownNames): ConfigIssue[] {
  return findReferences(source.data).flatMap(({ path, kind, name }) => {
    const names = known[kind];
    if (names === null || names.has(name) || source.isUnresolved(path)) return [];
    return [source.issue(path, `no ${kind} is named "${name}"${hint(kind, name, names)}`)];
  });
}

function hint(kind: ReferenceKind, name: string, names: ReadonlySet<string>): string {
  if (kind === 'LLM provider' && Object.hasOwn(REPLACED_PROVIDERS, name)) {
    return `: ${REPLACED_PROVIDERS[name]}; llm-providers.yaml can define it`;
  }
  const near = didYouMean(name, names);
  return near === '' ? `; there are ${[...names].sort().join(', ')}` : near;
}

const SECTION_NAMES: readonly (readonly [section: string, rule: NameRule])[] = [
  ['mcp_servers', SERVER_NAME],
  ['agents', ENTRY_NAME],
  ['agent_chains', ENTRY_NAME],
  ['intake.sources', ENTRY_NAME],
  ['notifications.channels', ENTRY_NAME],
  ['schedules', ENTRY_NAME],
  ['access.teams', ENTRY_NAME],
  ['llm_providers', ENTRY_NAME],
  ['model_prices', MODEL_NAME],
  ['budgets', ENTRY_NAME],
  ['labels', ENTRY_NAME],
];

export function checkEntryNames(source: SourceFile): ConfigIssue[] {
  return SECTION_NAMES.flatMap(([section, { pattern, message }]) =>
    valuesAt(source.data, `${section}.*`).flatMap(({ path }) =>
      pattern.test(String(path.at(-1))) ? [] : [source.issueAtKey(path, message)],
    ),
  );
}

/** Returns an issue for each alert type that is listed more than once; a type belongs to one chain. */
export function checkAlertTypes(source: SourceFile): ConfigIssue[] {
  const owners = new Map<string, string>();
  return valuesAt(source.data, `${CHAIN}.alert_types.*`).flatMap(({ path, value }) => {
    if (typeof value !== 'string') return [];
    const owner = owners.get(value);
    const chain = String(path[1]);
    if (owner === undefined) {
      owners.set(value, chain);
      return [];
    }
    const where = owner === chain ? 'is listed twice' : `belongs to the chain "${owner}" already`;
    return [source.issue(path, `alert type "${value}" ${where}`)];
  });
}

/** Returns an issue for each stage and intake rule with the name of an earlier entry of the same list. */
export function checkListNames(source: SourceFile): ConfigIssue[] {
  const seen = new Set<string>();
  const places = {
    [`${STAGE}.name`]: 'the chain has another stage',
    'intake.rules.*.name': 'another rule is',
  };
  return Object.entries(places).flatMap(([pattern, problem]) =>
    valuesAt(source.data, pattern).flatMap(({ path, value }) => {
      const key = JSON.stringify([...path.slice(0, -2), value]);
      if (seen.has(key)) return [source.issue(path, `${problem} named "${value}"`)];
      seen.add(key);
      return [];
    }),
  );
}

/** Returns the alert types listed by chains in the data of tarsy.yaml. */
export function writtenAlertTypes(data: unknown): string[] {
  return valuesAt(data, `${CHAIN}.alert_types.*`).flatMap(({ value }) =>
    typeof value === 'string' ? [value] : [],
  );
}

/** Returns the values whose paths match a pattern such as `agents.*.max_iterations`. */
export function valuesAt(data: unknown, pattern: string): { path: Path; value: unknown }[] {
  let found: { path: Path; value: unknown }[] = [{ path: [], value: data }];
  for (const part of pattern.split('.')) {
    found = found.flatMap(({ path, value }) =>
      children(value)
        .filter(([key]) => part === '*' || key === part)
        .map(([key, child]) => ({ path: [...path, key], value: child })),
    );
  }
  return found;
}

function children(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
