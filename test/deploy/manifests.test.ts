import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { devPython } from '../../scripts/lib/dev-python.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configProblems } from './config-problems.ts';
import { networkProblems, of } from './network-problems.ts';
import { CANNOT_RENDER, exampleSecrets, type Manifest, OVERLAYS, renderOverlay } from './render.ts';
import { workloadProblems } from './workload-problems.ts';

/** Time limit that includes the first installation of the Python tools (ms). */
const INSTALL_LIMIT_MS = 600_000;
/** The newest Kubernetes version whose schemas all supported platforms know. */
const KUBERNETES = '1.35.0';
/** Secrets of the evaluation overlay; its database Secret has a key that real installations do not need. */
const EVALUATION_SECRETS: Manifest[] = [
  { kind: 'Secret', metadata: { name: 'tarsy-database' }, stringData: { url: '', password: '' } },
];
/** Kinds of single platforms, for which there are no public schemas. */
const WITHOUT_SCHEMA = ['Route'];

const OTHER = { other: 'label' };
const BACKEND = ['spec', 'rules', 0, 'http', 'paths', 0, 'backend'];
const DATABASE = (name: string) => [
  ...['spec', 'template', 'spec', 'containers', name],
  ...['env', 'DATABASE_URL', 'valueFrom', 'secretKeyRef'],
];

function problemsOf(manifests: Manifest[]): string[] {
  return [
    ...networkProblems(manifests),
    ...workloadProblems(manifests),
    ...configProblems(manifests, [...EVALUATION_SECRETS, ...exampleSecrets()]),
  ];
}

describe.skipIf(CANNOT_RENDER)('manifests of', () => {
  let validator: string;
  beforeAll(async () => {
    validator = join(await devPython(), '../kubernetes-validate');
  }, INSTALL_LIMIT_MS);

  describe.each(OVERLAYS)('%s', (overlay) => {
    test('are valid by the Kubernetes schemas', () => {
      const { text, manifests } = renderOverlay(overlay);
      const dir = mkdtempSync(join(tmpdir(), 'tarsy-manifests-'));
      try {
        const file = join(dir, 'all.yaml');
        writeFileSync(file, text);
        const said = execFileSync(validator, ['--kubernetes-version', KUBERNETES, '--strict', file], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const passed = [...said.matchAll(/passed for resource/g)].length;
        expect(passed).toBe(manifests.filter(({ kind }) => !WITHOUT_SCHEMA.includes(kind)).length);
      } finally {
        rmSync(dir, { recursive: true });
      }
    });

    test('are consistent with each other', () => {
      expect(problemsOf(renderOverlay(overlay).manifests)).toEqual([]);
    });

    test('contain a configuration that loads', async () => {
      const { manifests } = renderOverlay(overlay);
      const data = (name: RegExp) =>
        of(manifests, 'ConfigMap').find(({ metadata }) => name.test(metadata.name)).data;
      const dir = mkdtempSync(join(tmpdir(), 'tarsy-config-'));
      try {
        const files = data(/^tarsy-config-\w+$/);
        expect(Object.keys(files).sort()).toEqual(['llm-providers.yaml', 'tarsy.yaml']);
        for (const [name, text] of Object.entries<string>(files)) writeFileSync(join(dir, name), text);
        const config = await loadConfig({ dir, env: data(/^tarsy-environment\b/) });
        expect(config.warnings).toEqual([]);
      } finally {
        rmSync(dir, { recursive: true });
      }
    });

    test('run as restricted pods and contain secrets by reference only', () => {
      const { manifests, text } = renderOverlay(overlay);
      for (const { spec } of of(manifests, 'Deployment')) {
        const pod = spec.template.spec;
        expect(pod.securityContext).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources.limits.memory).toBeDefined();
        }
      }
      expect(of(manifests, 'Secret')).toEqual([]);
      expect(text).not.toMatch(/(?:password|secret|token|api_?key)\w*: (?!name|key|tarsy)[^\s{]{8,}/i);
    });
  });

  const CONTAINERS = ['spec', 'template', 'spec', 'containers'];
  const elsewhere = (text: string) => text.replace(':8080', ':8081');
  /** Changes at one place. Each change breaks a reference at another place. */
  const CHANGES: [what: string, kind: string, name: RegExp, path: (string | number)[], value: unknown][] = [
    ['port of the API', 'Deployment', /api/, [...CONTAINERS, 'api', 'ports', 0, 'containerPort'], 8081],
    ['name of a port', 'Deployment', /api/, [...CONTAINERS, 'oauth2-proxy', 'ports', 0, 'name'], 'web'],
    ['port of a Service', 'Service', /llm/, ['spec', 'ports', 0, 'port'], 50052],
    ['target of a Service', 'Service', /^tarsy$/, ['spec', 'ports', 0, 'targetPort'], 'web'],
    ['selector of a Service', 'Service', /llm/, ['spec', 'selector', 'app.kubernetes.io/name'], 'x'],
    ['label of a pod', 'Deployment', /worker/, ['spec', 'template', 'metadata', 'labels'], {}],
    ['probe', 'Deployment', /worker/, [...CONTAINERS, 'worker', 'readinessProbe', 'httpGet', 'port'], 'web'],
    ['name of a ConfigMap', 'ConfigMap', /^tarsy-environment/, ['metadata', 'name'], 'other'],
    ['name of the configuration', 'ConfigMap', /^tarsy-config/, ['metadata', 'name'], 'other'],
    ['name of a Secret', 'Deployment', /worker/, [...DATABASE('worker'), 'name'], 'other'],
    ['key of a Secret', 'Deployment', /api/, [...DATABASE('api'), 'key'], 'uri'],
    ['LLM address', 'ConfigMap', /^tarsy-environment/, ['data', 'LLM_SERVICE_ADDR'], 'llm:1'],
    ['variable that nothing reads', 'ConfigMap', /^tarsy-environment/, ['data', 'LOGLEVEL'], 'debug'],
    ['template variable', 'ConfigMap', /^tarsy-environment/, ['data', 'TARSY_LLM_PROVIDER'], undefined],
    ['upstream', 'ConfigMap', /^tarsy-oauth2-proxy/, ['data', 'oauth2-proxy.cfg'], elsewhere],
    ['upstream', 'Deployment', /api/, [...CONTAINERS, 'kube-rbac-proxy', 'args', 1], elsewhere],
    [
      'header',
      'Deployment',
      /api/,
      [...CONTAINERS, 'kube-rbac-proxy', 'args', 3],
      '--auth-header-user-field-name=x-remote-user',
    ],
    ['metrics port', 'Deployment', /worker/, [...CONTAINERS, 'worker', 'env', 'METRICS_PORT', 'value'], '9'],
    ['policy port', 'NetworkPolicy', /llm/, ['spec', 'ingress', 0, 'ports', 0, 'port'], 'rpc'],
    [
      'policy peer',
      'NetworkPolicy',
      /llm/,
      ['spec', 'ingress', 0, 'from', 0, 'podSelector', 'matchLabels'],
      OTHER,
    ],
    ['budget', 'PodDisruptionBudget', /worker/, ['spec', 'selector', 'matchLabels'], OTHER],
    ['backend', 'Ingress', /tarsy/, [...BACKEND, 'service', 'name'], 'web'],
    [
      'address of the dashboard',
      'ConfigMap',
      /^tarsy-environment/,
      ['data', 'TARSY_DASHBOARD_URL'],
      undefined,
    ],
    ['image', 'Deployment', /api/, [...CONTAINERS, 'oauth2-proxy', 'image'], 'oauth2-proxy/oauth2-proxy:v7'],
    ['tag', 'Deployment', /llm/, [...CONTAINERS, 'llm-service', 'image'], 'quay.io/acme/tarsy-llm-service'],
    ['liveness', 'Deployment', /api/, [...CONTAINERS, 'kube-rbac-proxy', 'livenessProbe'], undefined],
    ['readiness', 'Deployment', /api/, [...CONTAINERS, 'oauth2-proxy', 'readinessProbe'], undefined],
    ['sign-in page', 'ConfigMap', /^tarsy-sign-in-page/, ['metadata', 'name'], 'other'],
    ['who may sign in', 'ConfigMap', /^tarsy-sign-in-(?!page)/, ['metadata', 'name'], 'other'],
    ['ServiceAccount', 'ServiceAccount', /api/, ['metadata', 'name'], 'other'],
    ['volume', 'Deployment', /worker/, ['spec', 'template', 'spec', 'volumes', 'config', 'name'], 'other'],
  ];

  test.each(CHANGES)('changing the %s of a %s alone is found', (_, kind, name, path, value) => {
    const { manifests } = renderOverlay('kubernetes');
    change(
      of(manifests, kind).find(({ metadata }) => name.test(metadata.name)),
      path,
      value,
    );
    expect(problemsOf(manifests)).not.toEqual([]);
  });
});

/** Sets the value at a path. In a list, a string selects the item with that name. */
function change(from: Manifest, path: readonly (string | number)[], value: unknown): void {
  const step = (at: Manifest, part: string | number): Manifest =>
    Array.isArray(at) && typeof part === 'string' ? at.find(({ name }) => name === part) : at[part];
  const owner = path.slice(0, -1).reduce<Manifest>(step, from);
  const last = path.at(-1)!;
  expect(owner, path.join('.')).toBeDefined();
  if (value === undefined) delete owner[last];
  else owner[last] = typeof value === 'function' ? value(owner[last]) : value;
}
