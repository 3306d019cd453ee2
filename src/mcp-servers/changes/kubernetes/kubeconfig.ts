import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { parse } from 'yaml';
import { type ExecCredential, execCredentials } from './exec-credential.ts';
import { type KubeObject, objectAt, objectsAt, textAt, valueAt } from './fields.ts';

/** The address of a cluster's API, and how this server proves who it is. */
export interface Cluster {
  url: URL;
  tls: SecureContextOptions & { servername?: string; rejectUnauthorized?: boolean };
  /** URL of the cluster's own proxy; `null` if the environment decides. */
  proxyUrl: string | null;
  /** Returns the credentials for the next request. */
  credentials(): Promise<ExecCredential>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Files that Kubernetes mounts into every pod with a service account. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Returns the cluster of KUBECONFIG, else of the pod that this runs in, else of ~/.kube/config.
 * @returns `null` if none of them exists
 * @throws Error if the configuration is invalid
 */
export function findCluster(env: Env, serviceAccount = SERVICE_ACCOUNT): Cluster | null {
  if (env.KUBECONFIG)
    return fromKubeconfig(
      env.KUBECONFIG.split(delimiter).filter((file) => file !== ''),
      env,
    );
  if (env.KUBERNETES_SERVICE_HOST && existsSync(join(serviceAccount, 'token')))
    return fromServiceAccount(env, serviceAccount);
  const home = join(env.HOME || homedir(), '.kube/config');
  return existsSync(home) ? fromKubeconfig([home], env) : null;
}

function fromServiceAccount(env: Env, folder: string): Cluster {
  const host = env.KUBERNETES_SERVICE_HOST!;
  const address = host.includes(':') ? `[${host}]` : host;
  return {
    url: new URL(`https://${address}:${env.KUBERNETES_SERVICE_PORT || 443}`),
    tls: { ca: readFileSync(join(folder, 'ca.crt')) },
    proxyUrl: null,
    credentials: fileToken(join(folder, 'token')),
  };
}

/** Reads the token for every request, because Kubernetes renews the file. */
function fileToken(file: string): () => Promise<ExecCredential> {
  return async () => ({ token: (await readFile(file, 'utf8')).trim() });
}

interface Named {
  value: KubeObject;
  /** Folder of the file, against which relative paths are resolved. */
  folder: string;
}

/** Reads the current context. With several files, the first one that has a name wins, as kubectl does. */
function fromKubeconfig(files: readonly string[], env: Env): Cluster {
  const documents = files
    .filter((file) => files.length === 1 || existsSync(file))
    .map((file) => ({ folder: dirname(resolve(file)), document: readDocument(file) }));
  const find = (list: string, entry: string, name: string | null): Named => {
    for (const { folder, document } of documents) {
      const found = objectsAt(document, list).find((each) => textAt(each, 'name') === name);
      if (found) return { value: objectAt(found, entry), folder };
    }
    throw new Error(`KUBECONFIG: there is no ${entry} "${name ?? ''}" in ${files.join(', ')}`);
  };
  const current = documents
    .map(({ document }) => textAt(document, 'current-context'))
    .find((name) => name !== null);
  if (!current) throw new Error(`KUBECONFIG: set current-context in ${files.join(', ')}`);
  const context = find('contexts', 'context', current).value;
  const cluster = find('clusters', 'cluster', textAt(context, 'cluster'));
  const user = find('users', 'user', textAt(context, 'user'));
  const url = URL.parse(textAt(cluster.value, 'server') ?? '');
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`KUBECONFIG: the server of the current context is no http(s) URL`);
  const servername = textAt(cluster.value, 'tls-server-name');
  const ca = dataOf(cluster, 'certificate-authority');
  return {
    url,
    tls: {
      ...(ca && { ca }),
      ...(servername && { servername }),
      ...(valueAt(cluster.value, 'insecure-skip-tls-verify') === true && { rejectUnauthorized: false }),
    },
    proxyUrl: textAt(cluster.value, 'proxy-url'),
    credentials: credentialsOf(user, env),
  };
}

function readDocument(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`KUBECONFIG: ${file} could not be read (${code})`);
  }
  try {
    return parse(text);
  } catch {
    // Leaves the parser's message out, because it quotes the file, which holds credentials.
    throw new Error(`KUBECONFIG: ${file} is no valid YAML`);
  }
}

/** Returns the content of `<key>-data` or of the file that `<key>` names; `null` if neither is set. */
function dataOf({ value, folder }: Named, key: string): Buffer | null {
  const data = textAt(value, `${key}-data`);
  if (data !== null) return Buffer.from(data, 'base64');
  const file = textAt(value, key);
  return file === null ? null : readFileSync(resolve(folder, file));
}

function credentialsOf(user: Named, env: Env): () => Promise<ExecCredential> {
  const { value, folder } = user;
  if (valueAt(value, 'auth-provider') !== undefined)
    throw new Error('KUBECONFIG: auth-provider is not supported; use the exec plugin of your cloud');
  const cert = dataOf(user, 'client-certificate');
  const key = dataOf(user, 'client-key');
  const token = textAt(value, 'token');
  const tokenFile = textAt(value, 'tokenFile');
  if (valueAt(value, 'exec') !== undefined) return execCredentials(objectAt(value, 'exec'), folder, env);
  if (token === null && tokenFile !== null) return fileToken(resolve(folder, tokenFile));
  return async () => ({
    ...(token !== null && { token }),
    ...(cert && key && { cert: cert.toString(), key: key.toString() }),
  });
}
