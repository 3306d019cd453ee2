import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Cluster, DeployError, type Manifest } from './cluster.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Values by key of a Secret, and the variables that are missing for them. */
interface Contents {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
}

/** The Secrets that an overlay needs. */
export interface Secrets {
  readonly manifests: readonly Manifest[];
  /** Names of the Secrets for messages, without values. */
  readonly summary: readonly string[];
}

/**
 * Creates the overlay's Secrets from the environment. A Secret without variables in the environment stays unchanged.
 * @throws DeployError naming every missing variable if the cluster has no such Secret either
 */
export async function makeSecrets(
  cluster: Cluster,
  manifests: readonly Manifest[],
  namespace: string,
  env: Environment,
): Promise<Secrets> {
  const wanted = [
    ...[database(env), signIn(env), modelKeys(manifests, env), tokens(manifests, env), vertex(env)],
    await installationKey(cluster, namespace, env),
  ];
  const made: Contents[] = [];
  const problems: string[] = [];
  for (const contents of wanted.filter(({ name }) => isReferenced(manifests, name))) {
    const { name, values, missing } = contents;
    const isGiven = Object.keys(values).length > 0;
    if (missing.length === 0 && isGiven) made.push(contents);
    else if (missing.length > 0 && (isGiven || !(await cluster.has('secret', name, namespace))))
      problems.push(`${missing.join(', ')} (for the Secret ${name})`);
  }
  if (problems.length > 0) throw new DeployError(`not set in the environment: ${problems.join('; ')}`);
  return {
    manifests: made.map(({ name, values }) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels: { 'app.kubernetes.io/part-of': 'tarsy' } },
      // Not stringData, because keys left out of it would stay in the cluster.
      data: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    })),
    summary: made.map(({ name, values }) => `${name} (${Object.keys(values).join(', ')})`),
  };
}

/** Reads variables; `required` ones must be set, the others are used if set. */
function take(
  name: string,
  keys: Readonly<Record<string, string>>,
  env: Environment,
  required: readonly string[],
): Contents {
  const given = Object.entries(keys).filter(([, variable]) => env[variable]);
  return {
    name,
    values: Object.fromEntries(given.map(([key, variable]) => [key, env[variable]!])),
    missing: required.filter((variable) => !env[variable]),
  };
}

function database(env: Environment): Contents {
  return take('tarsy-database', { url: 'DATABASE_URL' }, env, ['DATABASE_URL']);
}

function signIn(env: Environment): Contents {
  const keys = {
    'client-id': 'OAUTH2_PROXY_CLIENT_ID',
    'client-secret': 'OAUTH2_PROXY_CLIENT_SECRET',
    'cookie-secret': 'OAUTH2_PROXY_COOKIE_SECRET',
  };
  return take('tarsy-oauth2-proxy', keys, env, Object.values(keys));
}

/** API keys by variable name, for the built-in providers and those in llm-providers.yaml. */
function modelKeys(manifests: readonly Manifest[], env: Environment): Contents {
  const usual = ['GOOGLE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'XAI_API_KEY'];
  const names = [
    ...usual,
    ...matches(configuration(manifests, 'llm-providers.yaml'), /\bapi_key_env:\s*["']?(\w+)/g),
  ];
  return take('tarsy-llm-keys', asKeys(names), env, []);
}

/** Variables in tarsy.yaml: tokens from `token_env` (optional), and `{{.NAME}}` (required unless it has a default). */
function tokens(manifests: readonly Manifest[], env: Environment): Contents {
  const text = ['tarsy.yaml', 'llm-providers.yaml'].map((file) => configuration(manifests, file)).join('\n');
  const shared = new Set(configMaps(manifests, 'tarsy-environment').flatMap(({ data }) => Object.keys(data)));
  const needed = matches(text, /\{\{\s*\.(\w+)\s*\}\}/g).filter((name) => !shared.has(name));
  const optional = [
    ...['SLACK_BOT_TOKEN', 'GITHUB_TOKEN'],
    ...matches(text, /\btoken_env:\s*["']?(\w+)/g),
    ...matches(text, /\{\{\s*\.(\w+)\s*\|/g).filter((name) => !shared.has(name)),
  ];
  return take('tarsy-tokens', asKeys([...needed, ...optional]), env, [...new Set(needed)]);
}

/**
 * The installation key encrypts data that all processes read, so there is always one; it is created if neither side has it.
 * A separate Secret holds it, so that new tokens do not replace it. A key among the tokens takes precedence.
 */
async function installationKey(cluster: Cluster, namespace: string, env: Environment): Promise<Contents> {
  const name = 'tarsy-key';
  if (env.TARSY_KEY || (await cluster.has('secret', name, namespace)))
    return take(name, asKeys(['TARSY_KEY']), env, []);
  return { name, values: { TARSY_KEY: randomBytes(32).toString('base64') }, missing: [] };
}

/** Returns the file's content, because a local path means nothing in the cluster. @throws DeployError */
function vertex(env: Environment): Contents {
  const path = env.GOOGLE_APPLICATION_CREDENTIALS;
  if (!path) return { name: 'tarsy-vertex', values: {}, missing: ['GOOGLE_APPLICATION_CREDENTIALS'] };
  try {
    const text = readFileSync(path, 'utf8');
    JSON.parse(text);
    return { name: 'tarsy-vertex', values: { 'vertex.json': text }, missing: [] };
  } catch {
    throw new DeployError(
      'GOOGLE_APPLICATION_CREDENTIALS names no JSON file that can be read: give the key of a service account',
    );
  }
}

const asKeys = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

/** Returns the first group of all matches outside YAML comments. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.replace(/(?:^|\s)#.*$/gm, '').matchAll(pattern)].map(([, name]) => name!);
}

function configMaps(manifests: readonly Manifest[], name: string): Manifest[] {
  const isIt = (given: string): boolean => given === name || given.replace(/-[0-9a-z]{10}$/, '') === name;
  return manifests.filter(({ kind, metadata }) => kind === 'ConfigMap' && isIt(metadata.name));
}

function configuration(manifests: readonly Manifest[], file: string): string {
  return configMaps(manifests, 'tarsy-config')
    .map(({ data }) => data[file] ?? '')
    .join('\n');
}

/** Returns true if a pod uses the Secret. */
function isReferenced(manifests: readonly Manifest[], name: string): boolean {
  const isIt = (value: Manifest): boolean =>
    value !== null &&
    typeof value === 'object' &&
    (value.secretRef?.name === name ||
      value.secretKeyRef?.name === name ||
      value.secret?.secretName === name ||
      Object.values(value).some(isIt));
  return manifests.some(({ spec }) => isIt(spec?.template?.spec ?? null));
}
