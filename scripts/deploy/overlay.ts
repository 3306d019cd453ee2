import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { ROOT } from '../lib/dev-python.ts';
import { type Cluster, DeployError, type Manifest } from './cluster.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const KUSTOMIZE = join(ROOT, 'deploy/kustomize');
/** Environment variables that are passed to TARSy's processes in the ConfigMap tarsy-environment. */
const FOR_TARSY = [
  ...['TARSY_DASHBOARD_URL', 'TARSY_LLM_PROVIDER', 'LOG_LEVEL'],
  ...['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'],
];
/** Environment variables, all public, that are passed to oauth2-proxy in the ConfigMap tarsy-sign-in. */
const FOR_SIGN_IN = [
  ...['OAUTH2_PROXY_PROVIDER', 'OAUTH2_PROXY_PROVIDER_DISPLAY_NAME', 'OAUTH2_PROXY_OIDC_ISSUER_URL'],
  ...['OAUTH2_PROXY_EMAIL_DOMAINS', 'OAUTH2_PROXY_GITHUB_ORG', 'OAUTH2_PROXY_GITHUB_TEAM'],
  'OAUTH2_PROXY_ALLOWED_GROUPS',
];
/** Environment variables that name an image, each with the Deployment and container that run the image. */
const IMAGES: Record<string, readonly [deployment: string, container: string]> = {
  TARSY_IMAGE: ['tarsy-api', 'api'],
  TARSY_LLM_SERVICE_IMAGE: ['tarsy-llm-service', 'llm-service'],
};

/** Returns an overlay's folder. @param target name of a shipped overlay, or path @throws DeployError */
export function overlayFolder(target: string): string {
  const folder = /^[\w-]+$/.test(target) ? join(KUSTOMIZE, 'overlays', target) : resolve(target);
  if (existsSync(join(folder, 'kustomization.yaml'))) return realpathSync(folder);
  throw new DeployError(
    `${folder} has no kustomization.yaml; give kubernetes, openshift or the path of an overlay of yours`,
  );
}

/** Returns the overlay's objects with the environment variables applied. @throws DeployError */
export async function renderOverlay(cluster: Cluster, folder: string, env: Environment): Promise<Manifest[]> {
  const plain = await render(cluster, folder);
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'tarsy-deploy-')));
  try {
    writeFileSync(join(dir, 'kustomization.yaml'), stringify(kustomization(dir, folder, plain, env)));
    return await render(cluster, dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Returns the namespace of all namespaced objects. @throws DeployError if there is not exactly one */
export function namespaceOf(manifests: readonly Manifest[]): string {
  const names = new Set<string>(manifests.flatMap(({ metadata }) => metadata.namespace ?? []));
  const [name] = names;
  if (names.size === 1 && name !== undefined) return name;
  throw new DeployError(
    `the overlay must put everything into one namespace; it has ${[...names].join(', ') || 'none'}`,
  );
}

async function render(cluster: Cluster, folder: string): Promise<Manifest[]> {
  const text = await cluster.run(['kustomize', folder]);
  return parseAllDocuments(text).map((document) => document.toJS({ maxAliasCount: -1 }));
}

/** Returns the kustomization that adapts an overlay to the environment variables. */
function kustomization(dir: string, folder: string, plain: readonly Manifest[], env: Environment): Manifest {
  const namespace = namespaceOf(plain);
  const literals = (names: readonly string[]) =>
    names.filter((name) => env[name]).map((name) => `${name}=${env[name]}`);
  const merged = { 'tarsy-environment': literals(FOR_TARSY), 'tarsy-sign-in': literals(FOR_SIGN_IN) };
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace,
    resources: [relative(dir, folder)],
    components: env.GOOGLE_APPLICATION_CREDENTIALS
      ? [relative(dir, join(KUSTOMIZE, 'components/vertex'))]
      : [],
    configMapGenerator: Object.entries(merged)
      .filter(([, lines]) => lines.length > 0)
      .map(([name, lines]) => ({ name, namespace, behavior: 'merge', literals: lines })),
    images: Object.entries(IMAGES).flatMap(([variable, owner]) => imageOf(plain, owner, env[variable]) ?? []),
    patches: env.TARSY_DASHBOARD_URL ? hostPatches(plain, dashboardHost(env.TARSY_DASHBOARD_URL)) : [],
  };
}

/** Returns the host in the dashboard's address. @throws DeployError if the address is not a plain https origin */
export function dashboardHost(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const local = url !== null && ['localhost', '127.0.0.1'].includes(url.hostname);
  // Browsers send the sign-in cookie over https only.
  if (url !== null && (url.protocol === 'https:' || local) && url.origin === address) return url.hostname;
  throw new DeployError(
    `TARSY_DASHBOARD_URL must be an address such as https://tarsy.example.com, without a path; it is ${address}`,
  );
}

function imageOf(
  plain: readonly Manifest[],
  [deployment, container]: readonly [string, string],
  image: string | undefined,
) {
  if (!image) return null;
  const [, newName, newTag, digest] =
    /^([^@]+?)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(image) ?? [];
  if (newName === undefined || (newTag ?? digest) === undefined)
    throw new DeployError(
      `an image must be named with its registry and tag or digest, such as registry.example.com/tarsy:1.2.3; ${image} is not`,
    );
  const owner = plain.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === deployment);
  const current = owner?.spec.template.spec.containers.find(
    ({ name }: Manifest) => name === container,
  )?.image;
  if (current === undefined)
    throw new DeployError(`the overlay has no container ${container} in a Deployment ${deployment}`);
  const name = current.replace(/@.*$/, '').replace(/:[\w.-]+$/, '');
  return { name, newName, ...(digest === undefined ? { newTag } : { digest }) };
}

function hostPatches(plain: readonly Manifest[], host: string): Manifest[] {
  const paths: Record<string, string[]> = {
    Ingress: ['/spec/rules/0/host', '/spec/tls/0/hosts/0'],
    Route: ['/spec/host'],
  };
  return plain
    .filter(({ kind, metadata }) => kind in paths && metadata.name === 'tarsy')
    .map(({ kind, metadata }) => ({
      target: { kind, name: metadata.name },
      patch: stringify(paths[kind]!.map((path) => ({ op: 'replace', path, value: host }))),
    }));
}

/** Returns the remaining `example.com` placeholders, each with the environment variable that replaces it. */
export function placeholders(manifests: readonly Manifest[]): string[] {
  const found = new Set<string>();
  const look = (text: unknown, variable: string): void => {
    if (/(?:^|[./@])example\.com\b/.test(String(text))) found.add(`${text} (set ${variable})`);
  };
  for (const { kind, metadata, data, spec } of manifests) {
    const pod = spec?.template?.spec;
    for (const { image } of [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])])
      look(image, /llm-service/.test(image) ? 'TARSY_LLM_SERVICE_IMAGE' : 'TARSY_IMAGE');
    if (kind === 'ConfigMap' && /^tarsy-(?:environment|sign-in)-(?!page)/.test(metadata.name))
      for (const [name, value] of Object.entries(data ?? {})) look(value, name);
    if (kind === 'Route') look(spec.host, 'TARSY_DASHBOARD_URL');
    if (kind === 'Ingress') for (const { host } of spec.rules) look(host, 'TARSY_DASHBOARD_URL');
  }
  return [...found];
}
