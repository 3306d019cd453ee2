import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Cluster, DeployError, type Manifest } from './cluster.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The contents of a Secret by key, and the required environment variables that are not set. */
interface Contents {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
}

/** The Secrets to apply. */
export interface Secrets {
  readonly manifests: readonly Manifest[];
  /** Names and keys of the Secrets for messages, without values. */
  readonly summary: readonly string[];
}

/**
 * Returns the overlay's Secrets, made from environment variables. A Secret for which none is set stays unchanged.
 * @throws DeployError that names the variables of Secrets that are incomplete or missing in the cluster
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
      // Not stringData, because the cluster would keep old keys that are missing in it.
      data: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    })),
    summary: made.map(({ name, values }) => `${name} (${Object.keys(values).join(', ')})`),
  };
}

/** Reads a Secret's values from variables. @param keys variables by key @param required variables that must be set */
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

/** Returns the API keys of the built-in providers and of those in llm-providers.yaml, by variable name. */
function modelKeys(manifests: readonly Manifest[], env: Environment): Contents {
  const usual = ['GOOGLE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'XAI_API_KEY'];
  const names = [
    ...usual,
    ...matches(configuration(manifests, 'llm-providers.yaml'), /\bapi_key_env:\s*["']?(\w+)/g),
  ];
  return take('tarsy-llm-keys', asKeys(names), env, []);
}

/** Returns variables that the configuration names: `token_env` (optional), `{{.NAME}}` (required without default). */
function tokens(manifests: readonly Manifest[], env: Environment): Contents {
  const text = ['tarsy.yaml', 'llm-providers.yaml'].map((file) => configuration(manifests, file)).join('\n');
  const shared = new Set(configMaps(manifests, 'tarsy-environment').flatMap(({ data }) => Object.keys(data)));
  const needed = matches(text, /\{\{\s*\.(\w+)\s*\}\}/g).filter((name) => !shared.has(name));
  const optional = [
    ...['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_APP_TOKEN', 'GITHUB_TOKEN'],
    ...matches(text, /\b(?:token|app_token|signing_secret)_env:\s*["']?(\w+)/g),
    ...matches(text, /\{\{\s*\.(\w+)\s*\|/g).filter((name) => !shared.has(name)),
  ];
  return take('tarsy-tokens', asKeys([...needed, ...optional]), env, [...new Set(needed)]);
}

/**
 * Returns the installation key, with which all processes encrypt data. Creates a key if neither environment nor cluster
 * has one. The key has its own Secret, so that new tokens do not replace it. A key among the tokens takes precedence.
 */
async function installationKey(cluster: Cluster, namespace: string, env: Environment): Promise<Contents> {
  const name = 'tarsy-key';
  if (env.TARSY_KEY || (await cluster.has('secret', name, namespace)))
    return take(name, asKeys(['TARSY_KEY']), env, []);
  return { name, values: { TARSY_KEY: randomBytes(32).toString('base64') }, missing: [] };
}

/** Returns the content of the credentials file, because the cluster cannot read a local path. @throws DeployError */
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

/** Returns the first group of each match in a text, outside YAML comments. */
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
