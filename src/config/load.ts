import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { z } from 'zod';
import { isTokenName } from '../common/token-name.ts';
import { assembleConfig, type ParsedConfig } from './assemble.ts';
import { builtinSource } from './builtin.ts';
import { checkCombinations, checkFallbackProviders } from './combinations.ts';
import { type EnvironmentRecord, readEnvironment } from './env.ts';
import { ConfigError, type ConfigIssue } from './errors.ts';
import { checkEventBusSecrets } from './event-bus-secrets.ts';
import { checkNotificationSecrets } from './notification-secrets.ts';
import {
  checkAlertTypes,
  checkEntryNames,
  checkListNames,
  checkReferences,
  type KnownNames,
  valuesAt,
  writtenAlertTypes,
} from './references.ts';
import { type ProvidersFile, providersSchema, type TarsyFile, tarsySchema } from './schema.ts';
import { toConfigIssues } from './schema-issues.ts';
import { parseSourceFile, type SourceFile } from './source-file.ts';
import type { Config } from './types.ts';

/**
 * Loads the configuration from built-ins, files and environment; the later source wins. Both files are optional.
 * @throws ConfigError listing every problem in the files
 * @throws EnvironmentError if an environment variable is invalid
 */
export async function loadConfig(options: { dir: string; env: EnvironmentRecord }): Promise<Config> {
  const { dir, env } = options;
  const environment = readEnvironment(env);
  const issues: ConfigIssue[] = [];
  const folder = await stat(dir).catch(() => null);
  if (env.CONFIG_DIR && !folder?.isDirectory())
    issues.push(fileIssue(dir, 'CONFIG_DIR: there is no such folder'));
  const tarsy = await readConfigFile(join(dir, 'tarsy.yaml'), tarsySchema, env);
  const providers = await readConfigFile(join(dir, 'llm-providers.yaml'), providersSchema, env);
  issues.push(...tarsy.issues, ...providers.issues);

  const builtin = builtinSource(env);
  if (tarsy.source !== null) {
    const known = knownNames(builtin, tarsy.source.data, providers);
    issues.push(...checkReferences(tarsy.source, known), ...checkAlertTypes(tarsy.source));
    issues.push(...checkListNames(tarsy.source), ...checkSlack(tarsy, env), ...checkRoles(tarsy));
    issues.push(...checkNotificationSecrets(tarsy, env), ...checkEventBusSecrets(tarsy, env));
  }
  if (issues.length > 0) throw new ConfigError(issues);

  const { llm_providers, ...builtinTarsy } = builtin;
  const parsed: ParsedConfig = {
    tarsy: tarsy.value ?? tarsySchema.parse({}),
    providers: providers.value ?? providersSchema.parse({}),
    builtinTarsy: tarsySchema.parse(builtinTarsy),
    builtinProviders: providersSchema.parse({ llm_providers }),
    tarsyData: tarsy.source?.data ?? {},
    files: [tarsy, providers].flatMap(({ source }) => source?.file ?? []),
    secrets: [...tarsy.secrets, ...providers.secrets],
    sources: { tarsy: tarsy.source, providers: providers.source },
  };
  const config = assembleConfig(parsed, env, environment);
  const choices = tarsy.source === null ? [] : checkCombinations(config, tarsy.source);
  // Checks API keys only if TARSy starts the LLM service, because an external service's environment is unknown.
  if (tarsy.source !== null && environment.llmServiceAddr === null)
    choices.push(...checkFallbackProviders(config, tarsy.source, env));
  if (choices.length > 0) throw new ConfigError(choices);
  return config;
}

interface ConfigFile<T> {
  /** The parsed file; `null` if it is missing or unusable. */
  readonly source: SourceFile | null;
  readonly value: T | null;
  readonly isMissing: boolean;
  readonly issues: readonly ConfigIssue[];
  readonly secrets: readonly string[];
}

async function readConfigFile<T>(
  path: string,
  schema: z.ZodType<T>,
  env: EnvironmentRecord,
): Promise<ConfigFile<T>> {
  const nothing = { source: null, value: null, secrets: [] };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ...nothing, isMissing: true, issues: [] };
    const message =
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : `cannot be read (${code})`;
    return { ...nothing, isMissing: false, issues: [fileIssue(path, message)] };
  }
  const read = parseSourceFile(displayPath(path), text, env);
  if (read.source === null) return { ...nothing, ...read, isMissing: false };
  const checked = check(read.source, schema);
  return {
    source: checked.source,
    value: checked.value,
    isMissing: false,
    issues: [...read.issues, ...checkEntryNames(checked.source), ...checked.issues],
    secrets: read.secrets,
  };
}

/** Validates a file. Converts template values to numbers and booleans where the schema expects them. */
function check<T>(written: SourceFile, schema: z.ZodType<T>) {
  let source = written;
  let result = schema.safeParse(source.data ?? {});
  if (!result.success) {
    const wrongType = result.error.issues.filter(
      (issue) => issue.code === 'invalid_type' && /^(?:int|number|boolean)$/.test(issue.expected),
    );
    source = source.coerce(wrongType.map((issue) => issue.path));
    if (source !== written) result = schema.safeParse(source.data);
  }
  const issues = result.success
    ? []
    : result.error.issues.flatMap((issue) => toConfigIssues(issue, source, schema));
  return { source, value: result.success ? result.data : null, issues };
}

function knownNames(
  builtin: ReturnType<typeof builtinSource>,
  data: unknown,
  providers: ConfigFile<ProvidersFile>,
): KnownNames {
  const namesIn = (from: unknown, section: string) =>
    valuesAt(from, `${section}.*`).map(({ path }) => String(path.at(-1)));
  const both = (section: string, from: unknown) =>
    new Set([...namesIn(builtin, section), ...namesIn(from, section)]);
  const replaced = new Set(namesIn(data, 'agent_chains'));
  const builtinTypes = Object.entries(builtin.agent_chains ?? {}).flatMap(([id, chain]) =>
    replaced.has(id) ? [] : chain.alert_types,
  );
  const teams = namesIn(data, 'access.teams');
  const providersKnown = providers.isMissing || providers.source !== null;
  return {
    agent: both('agents', data),
    'MCP server': both('mcp_servers', data),
    'LLM provider': providersKnown ? both('llm_providers', providers.source?.data) : null,
    'alert type': new Set([...builtinTypes, ...writtenAlertTypes(data)]),
    'alert source': new Set([...namesIn(data, 'intake.sources'), 'api']),
    'notification channel': new Set(namesIn(data, 'notifications.channels')),
    team: teams.length === 0 ? null : new Set(teams), // without configured teams, any name is accepted as a mere label
  };
}

/** Returns what Slack lacks: the tokens that it needs, and roles for those who act from Slack. */
function checkSlack({ source, value }: ConfigFile<TarsyFile>, env: EnvironmentRecord): ConfigIssue[] {
  const slack = value?.system.slack;
  if (!source || !slack?.enabled) return [];
  const { receive, tokenEnv, signingSecretEnv, appTokenEnv } = slack;
  const needed = [
    ['token_env', tokenEnv, true],
    ['signing_secret_env', signingSecretEnv, receive === 'http'],
    ['app_token_env', appTokenEnv, receive === 'socket'],
  ] as const;
  const issues = needed
    .filter(([, variable, isNeeded]) => isNeeded && !env[variable])
    .map(([key, variable]) =>
      source.issue(
        ['system', 'slack', key],
        `slack is enabled, but environment variable ${variable} is not set`,
      ),
    );
  if (receive === 'none' || value?.access.roles != null) return issues;
  const message = `${receive} needs access.roles, because otherwise every member of the Slack workspace would be admin`;
  return [...issues, source.issue(['system', 'slack', 'receive'], message)];
}

/** Returns the contradictions between roles, teams, authentication mode and dashboard address. */
function checkRoles({ source, value }: ConfigFile<TarsyFile>): ConfigIssue[] {
  if (source === null || value === null) return [];
  const { mode } = value.auth;
  const { roles, teams, approvers } = value.access;
  if (roles !== null && mode === 'none') {
    const message = 'needs an auth.mode that authenticates users; with none, a client can claim any name';
    return [source.issue(['access', 'roles'], message)];
  }
  if (
    mode === 'none' &&
    approvers.some(({ users, groups }) => groups.length > 0 || !users.every(isTokenName))
  ) {
    const message = 'can name only API tokens, because auth.mode is none and a client can claim any name';
    return [source.issue(['access', 'approvers'], message)];
  }
  if (teams !== null && roles === null) {
    const message = 'needs access.roles: without roles every user is an admin and sees every team';
    return [source.issue(['access', 'teams'], message)];
  }
  if (mode !== 'oidc') return [];
  const { dashboardUrl } = value.system;
  const problems: string[] = [];
  if (roles === null)
    problems.push('needs access.roles: without roles every user of the provider would be an admin');
  if (dashboardUrl === null || !isConfidential(new URL(dashboardUrl)))
    problems.push('needs an https system.dashboard_url, because the provider redirects to it');
  return problems.map((problem) => source.issue(['auth', 'mode'], problem));
}

/** True if the network cannot read cookies that are sent to the URL: HTTPS, or a loopback address. */
function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function fileIssue(path: string, message: string): ConfigIssue {
  return { file: displayPath(path), line: 0, column: 0, path: '', message };
}

/** Returns a path for messages: relative if the file is below the working directory, else unchanged. */
function displayPath(path: string): string {
  const local = relative(process.cwd(), path);
  return local === '' || local.startsWith('..') ? path : local;
}
