import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Manifest, parseManifests, ROOT } from './render.ts';

export const CHART = join(ROOT, 'deploy/helm');
/** The newest Kubernetes version whose schemas all supported platforms know. */
export const KUBERNETES = '1.35.0';
/** Values of the chart; the tests set many parts of them. */
export type Values = Record<string, unknown>;

const TOOLS = join(ROOT, '.tarsy/tools');
/** Path of Helm: from HELM, from the PATH, or the build of `.ci/run`; `null` if there is none. */
export const HELM =
  [process.env.HELM ?? '', 'helm', join(TOOLS, 'helm')].find(
    (each) =>
      each !== '' && (!each.startsWith('/') || existsSync(each)) && spawnSync(each, ['version']).status === 0,
  ) ?? null;
/** Folder with the schemas of custom resources, which `scripts/helm.sh` copies. */
export const CUSTOM_RESOURCES = join(TOOLS, 'custom-resources');

/** Values that give the chart the form of the overlay `kubernetes`. */
export const LIKE_KUSTOMIZE: Values = {
  images: { tarsy: { tag: 'latest' }, llmService: { tag: 'latest' } },
  migration: { mode: 'initContainer' },
  ingress: { enabled: true },
};

const PODS = {
  podAnnotations: { team: 'sre' },
  pod: {
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'spot', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'high',
    runtimeClassName: 'gvisor',
  },
};
const CPU = { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 5, cpuPercent: 70 } };

/** Sets of values that together turn every part of the chart on and off. */
export const VALUE_SETS: Readonly<Record<string, Values>> = {
  default: {},
  // Values written for the first version of the chart; later versions must accept them.
  'of 0.1.0': { dashboardUrl: 'https://tarsy.acme.test', llmProvider: 'anthropic-default' },
  everything: {
    imagePullSecrets: [{ name: 'registry' }],
    images: { oauth2Proxy: { digest: `sha256:${'0'.repeat(64)}` } },
    config: { audit: { retention_days: 400 }, queue: { max_concurrent_sessions: 12 } },
    llmProviders: { ours: { type: 'openai', model: 'qwen3', base_url: 'https://models.acme.test/v1' } },
    secrets: {
      database: { poolerKey: 'pooler', readKey: 'read' },
      vertex: 'tarsy-vertex',
      outgoing: 'tarsy-outgoing',
    },
    extraVolumes: [{ name: 'ca', secret: { secretName: 'tarsy-database-ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/database', readOnly: true }],
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel.acme.test:4318' },
    signIn: {
      oauth2Proxy: { environment: { OAUTH2_PROXY_GITHUB_ORG: 'acme' } },
      kubeRbacProxy: { tlsSecret: 'tarsy-api-tls' },
    },
    api: { ...PODS, ...CPU, serviceAccountAnnotations: { role: 'api' } },
    worker: { ...PODS, autoscaling: { source: 'keda', keda: { authentication: 'prometheus' } } },
    llmService: { ...PODS, ...CPU, serviceAccountAnnotations: { role: 'llm' } },
    service: {
      annotations: { 'service.beta.openshift.io/serving-cert-secret-name': 'tarsy-api-tls' },
    },
    networkPolicy: { from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
    ingress: { enabled: true, className: 'nginx' },
    gateway: { enabled: true, parentRefs: [{ name: 'public' }], requestTimeout: '0s' },
    monitoring: {
      serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
      prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
      dashboard: { enabled: true },
    },
  },
  'autoscaling by an external metric': { worker: { autoscaling: { source: 'external' } } },
  'IPv6 only': { network: { listen: '::', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] } },
  'sub-path': { dashboardUrl: 'https://tools.acme.test/tools/tarsy', ingress: { enabled: true } },
  'sign-in by TARSy': {
    signIn: { mode: 'oidc' },
    config: {
      auth: {
        oidc: { issuer: 'https://login.acme.test', client_id: 'tarsy', client_secret: '{{.OIDC_SECRET}}' },
      },
      access: { roles: { admin: { groups: ['platform'] } } },
    },
  },
  'least rights': {
    rbac: { read: 'none' },
    signIn: { kubeRbacProxy: { enabled: false } },
    networkPolicy: { enabled: false },
    api: { minAvailable: 0 },
  },
  'rights in namespaces': { rbac: { read: 'namespaces', namespaces: ['shop', 'pay'] } },
};

export interface ChartRun {
  status: number | null;
  text: string;
  /** Message of Helm about a failure. */
  problem: string;
}

/** Runs a command of Helm on the chart with these values. */
export function runHelm(command: readonly string[], values: Values, chart = CHART): ChartRun {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-chart-'));
  try {
    const file = join(dir, 'values.yaml');
    writeFileSync(file, stringify(values));
    // A home of its own, because Helm otherwise reads the plugins and repositories of the user.
    const env = { PATH: process.env.PATH, HOME: dir };
    const args = [...command, chart, '--namespace', 'tarsy', '--kube-version', KUBERNETES, '--values', file];
    const run = spawnSync(HELM!, args, { encoding: 'utf8', env });
    return { status: run.status, text: run.stdout, problem: run.stderr };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Renders the chart as `helm install tarsy --namespace tarsy` does. @throws Error with what Helm says */
export function renderChart(values: Values, chart = CHART): { text: string; manifests: Manifest[] } {
  const { status, text, problem } = runHelm(['template', 'tarsy'], values, chart);
  if (status !== 0) throw new Error(problem);
  return { text, manifests: parseManifests(text).filter((manifest) => manifest !== null) };
}

/** Packages the chart into a folder. @returns the path of the archive */
export function packageChart(folder: string): string {
  const said = execFileSync(HELM!, ['package', CHART, '--destination', folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /saved it to: (.+)/.exec(said)![1]!;
}
