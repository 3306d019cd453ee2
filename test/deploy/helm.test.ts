import { execFileSync } from 'node:child_process';
import { globSync, lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../../scripts/commands/blocks.ts';
import { devPython } from '../../scripts/lib/dev-python.ts';
import { chartValues } from '../../scripts/lib/reference/helm-values.ts';
import { loadConfig } from '../../src/config/load.ts';
import {
  CHART,
  HELM,
  KUBERNETES,
  LIKE_KUSTOMIZE,
  packageChart,
  renderChart,
  runHelm,
  VALUE_SETS,
} from './chart.ts';
import { CUSTOM_KINDS, customProblems, HAS_CUSTOM_RESOURCES } from './chart-schemas.ts';
import { configProblems } from './config-problems.ts';
import { networkProblems, of } from './network-problems.ts';
import { exampleSecrets, type Manifest, ROOT } from './render.ts';
import { workloadProblems } from './workload-problems.ts';

/** Time limit that includes the first installation of the Python tools (ms). */
const INSTALL_LIMIT_MS = 600_000;
const SETS = Object.keys(VALUE_SETS);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const secret = (name: string, stringData: object) => ({ kind: 'Secret', metadata: { name }, stringData });
const SECRETS: Manifest[] = [
  secret('tarsy-database', { url: '', pooler: '', read: '' }),
  ...exampleSecrets(),
  secret('tarsy-outgoing', {}),
  secret('tarsy-database-ca', {}),
  secret('tarsy-api-tls', {}),
];

describe('the files of the chart', () => {
  test('have the version of package.json', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(parse(read('deploy/helm/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  test('are the files of the other deployments, not copies', () => {
    const files = globSync('files/*', { cwd: CHART }).sort();
    expect(files).toHaveLength(6);
    for (const file of files) {
      expect(lstatSync(join(CHART, file)).isSymbolicLink()).toBe(true);
      expect(realpathSync(join(CHART, file))).toMatch(/\/deploy\/(kustomize\/base|monitoring)\//);
    }
  });

  test('have a schema of exactly the values, closed at every level', () => {
    const schema = JSON.parse(read('deploy/helm/values.schema.json')) as Manifest;
    const documented = chartValues(read('deploy/helm/values.yaml')).map(({ key }) => key);
    const keys: string[] = [];
    const collect = (at: Manifest, path: string): void => {
      const own = at.$ref ? schema.$defs[at.$ref.replace('#/$defs/', '')] : at;
      if (path !== '') keys.push(path);
      if (
        own.properties === undefined ||
        !documented.some((key) => key.startsWith(`${path}.`) || path === '')
      )
        return;
      expect(own.additionalProperties, path).toBe(false);
      for (const [name, below] of Object.entries(own.properties))
        collect(below, path ? `${path}.${name}` : name);
    };
    collect(schema, '');
    // Helm itself adds `global`.
    expect(keys.filter((key) => key !== 'global').sort()).toEqual(documented.toSorted());
  });

  test('allow exactly the sections of tarsy.yaml in `config`', () => {
    const { properties } = (JSON.parse(read('deploy/helm/values.schema.json')) as Manifest).properties.config;
    const { properties: sections } = JSON.parse(read('deploy/config/tarsy.schema.json')) as Manifest;
    expect(Object.keys(properties).sort()).toEqual(Object.keys(sections).sort());
  });
});

describe.skipIf(!HELM)('the Helm chart (skipped without Helm)', () => {
  const rendered = new Map<string, ReturnType<typeof renderChart>>();
  let validator: string;
  beforeAll(async () => {
    for (const name of SETS) rendered.set(name, renderChart(VALUE_SETS[name]!));
    validator = join(await devPython(), '../kubernetes-validate');
  }, INSTALL_LIMIT_MS);
  const manifestsOf = (name: string) => rendered.get(name)!.manifests;

  describe.each(SETS)('with the values %s', (name) => {
    test('passes helm lint --strict', () => {
      const { text, problem } = runHelm(['lint', '--strict'], VALUE_SETS[name]!);
      expect(text + problem).toContain('1 chart(s) linted, 0 chart(s) failed');
    });

    test('makes objects that are consistent with each other', () => {
      // The rights in other namespaces belong to the account of this one.
      const manifests = manifestsOf(name).filter(({ kind }) => kind !== 'RoleBinding');
      expect([
        ...networkProblems(manifests),
        ...workloadProblems(manifests.filter(({ spec }) => !JSON.stringify(spec ?? '').includes('@sha256'))),
        ...configProblems(manifests, [secret('tarsy-tokens', { OIDC_SECRET: '' }), ...SECRETS]),
      ]).toEqual([]);
    });

    test('makes a configuration that loads', async () => {
      const data = (suffix: string) =>
        of(manifestsOf(name), 'ConfigMap').find(({ metadata }) => metadata.name === `tarsy-${suffix}`).data;
      const dir = mkdtempSync(join(tmpdir(), 'tarsy-config-'));
      try {
        for (const [file, text] of Object.entries<string>(data('config')))
          writeFileSync(join(dir, file), text);
        const env = { ...data('environment'), OIDC_SECRET: 'a-secret' };
        expect((await loadConfig({ dir, env })).warnings).toEqual([]);
      } finally {
        rmSync(dir, { recursive: true });
      }
    });

    test('runs restricted pods, and contains secrets by reference only', () => {
      const { text, manifests } = rendered.get(name)!;
      const pods = manifests.flatMap(({ kind, spec }) =>
        kind === 'Pod' ? [spec] : spec?.template?.spec ? [spec.template.spec] : [],
      );
      expect(pods.length).toBeGreaterThanOrEqual(5);
      for (const pod of pods) {
        expect(pod.securityContext).toEqual({
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
      expect(text).not.toMatch(/(?:password|secret|token|api_?key)\w*: (?!name|key|tarsy|'?\{\{)[^\s{]{8,}/i);
    });

    test('lets workers read without Secrets, and nothing else', () => {
      const roles = of(manifestsOf(name), 'ClusterRole').filter(({ metadata }) =>
        /worker/.test(metadata.name),
      );
      const rules = roles.flatMap((role) => role.rules);
      expect(rules.flatMap(({ verbs }) => verbs).filter((verb) => !/^(get|list|watch)$/.test(verb))).toEqual(
        [],
      );
      expect(rules.flatMap(({ resources }) => resources)).not.toContain('secrets');
      const bindings = manifestsOf(name).filter(
        ({ kind, subjects }) =>
          /Binding$/.test(kind) && subjects.some((subject: Manifest) => subject.name === 'tarsy-worker'),
      );
      for (const { roleRef } of bindings) expect(roleRef.name).toMatch(/^(view|tarsy-worker-changes)$/);
    });
  });

  test('makes objects that are valid by the Kubernetes schemas, with all values', () => {
    const all = SETS.flatMap(manifestsOf).filter(({ kind }) => !CUSTOM_KINDS.includes(kind));
    const texts = new Set(all.map((manifest) => JSON.stringify(manifest)));
    const dir = mkdtempSync(join(tmpdir(), 'tarsy-chart-'));
    try {
      const file = join(dir, 'all.yaml');
      writeFileSync(file, [...texts].join('\n---\n'));
      const said = execFileSync(validator, ['--kubernetes-version', KUBERNETES, '--strict', file], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      expect([...said.matchAll(/passed for resource/g)]).toHaveLength(texts.size);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  test.skipIf(!HAS_CUSTOM_RESOURCES)('makes custom resources that their definitions allow', () => {
    const custom = SETS.flatMap(manifestsOf).filter(({ kind }) => CUSTOM_KINDS.includes(kind));
    expect([...new Set(custom.map(({ kind }) => kind))].sort()).toEqual(CUSTOM_KINDS);
    expect(customProblems(custom)).toEqual([]);
    const [monitor] = structuredClone(of(custom, 'ServiceMonitor'));
    monitor.spec.endpoints[0].intervall = '5s';
    expect(customProblems([monitor])).not.toEqual([]);
  });

  test('renders the same from an archive', () => {
    const dir = mkdtempSync(join(tmpdir(), 'tarsy-chart-'));
    try {
      const { text } = renderChart(VALUE_SETS.everything!, packageChart(dir));
      expect(text).toBe(rendered.get('everything')!.text);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  test.each([
    ['a value that the chart does not have', { replica: 3 }, "'replica' not allowed"],
    ['a key of a section', { api: { autoscaling: { enable: true } } }, "'enable' not allowed"],
    ['an unknown section of the configuration', { config: { que: {} } }, "'que' not allowed"],
    ['http', { dashboardUrl: 'http://tarsy.acme.test' }, 'does not match pattern'],
    ['IPv6 without servers on it', { network: { ipFamilies: ['IPv6'] } }, 'set network.listen to ::'],
    ['oidc without an issuer', { signIn: { mode: 'oidc' } }, 'config.auth.oidc'],
    ['a route without a Gateway', { gateway: { enabled: true } }, 'gateway.parentRefs'],
    ['rights in no namespace', { rbac: { read: 'namespaces' } }, 'rbac.namespaces'],
    ['limits that contradict', { worker: { autoscaling: { minReplicas: 20 } } }, 'more than maxReplicas'],
  ])('refuses %s', (_, values, problem) => {
    expect(runHelm(['template', 'tarsy'], values)).toMatchObject({
      status: 1,
      problem: expect.stringContaining(problem),
    });
  });

  test.each(
    blocksOf(read('docs/how-to/install/helm.md')).filter(({ text }) => text.startsWith('# values.yaml')),
  )('accepts the values in line $line of its page', ({ text }) => {
    expect(runHelm(['lint', '--strict'], parse(text))).toMatchObject({ status: 0 });
  });

  test('names every object after the release, and makes them fit together', () => {
    const { manifests } = renderChart({ ...VALUE_SETS.everything, fullnameOverride: 'acme' });
    expect(networkProblems(manifests)).toEqual([]);
    const names = manifests.map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !/^(?:tarsy-)?acme(?:-|$)/.test(name))).toEqual([]);
  });

  test('migrates once before a release changes pods, with the container of kustomize', () => {
    const [job] = of(manifestsOf('default'), 'Job');
    expect(job.metadata.annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
    const [deployment] = of(renderChart(LIKE_KUSTOMIZE).manifests, 'Deployment').filter(
      ({ metadata }) => metadata.name === 'tarsy-worker',
    );
    expect({ ...job.spec.template.spec.containers[0], image: '' }).toEqual({
      ...deployment.spec.template.spec.initContainers[0],
      image: '',
    });
    for (const { spec } of of(manifestsOf('default'), 'Deployment'))
      expect(spec.template.spec.initContainers).toBeUndefined();
  });

  test('gives Prometheus the rules that are tested', () => {
    const [rule] = of(manifestsOf('everything'), 'PrometheusRule');
    expect(rule.spec).toEqual(parse(read('deploy/monitoring/prometheus-rules.yaml')));
  });

  test('lets autoscaled workers use all their slots', () => {
    const manifests = manifestsOf('autoscaling by an external metric');
    const config = parse(
      of(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === 'tarsy-config').data['tarsy.yaml'],
    );
    expect(config.queue.max_concurrent_sessions).toBe(50);
    const [worker] = of(manifests, 'Deployment').filter(({ metadata }) => metadata.name === 'tarsy-worker');
    expect(worker.spec.replicas).toBeUndefined();
    expect(worker.spec.template.spec.containers[0].env).toContainEqual({
      name: 'WORKER_CONCURRENCY',
      value: '5',
    });
    const [scaler] = of(manifests, 'HorizontalPodAutoscaler');
    expect(scaler.spec.metrics[0].external.target).toEqual({ type: 'AverageValue', averageValue: '5' });
    // The limit of an operator stays.
    expect(JSON.stringify(of(manifestsOf('everything'), 'ConfigMap'))).toContain(
      'max_concurrent_sessions: 12',
    );
  });

  test('leads API and workers through a pooler, but no migration', () => {
    const manifests = manifestsOf('everything');
    const pooled = manifests.filter((manifest) => JSON.stringify(manifest).includes('DATABASE_POOLER_URL'));
    expect(pooled.map(({ metadata }) => metadata.name).sort()).toEqual(['tarsy-api', 'tarsy-worker']);
  });

  test('leads the API alone to a read replica', () => {
    const manifests = manifestsOf('everything');
    const reading = manifests.filter((manifest) => JSON.stringify(manifest).includes('DATABASE_READ_URL'));
    expect(reading.map(({ metadata }) => metadata.name)).toEqual(['tarsy-api']);
  });

  test('listens on IPv6 in every container', () => {
    const text = JSON.stringify(manifestsOf('IPv6 only'));
    expect(text).not.toContain('0.0.0.0');
    for (const variable of ['METRICS_HOST', 'GRPC_HOST'])
      expect(text).toContain(JSON.stringify({ name: variable, value: '::' }));
    expect(text).toContain('"HTTP_HOST":"::"');
    for (const { spec } of of(manifestsOf('IPv6 only'), 'Service')) expect(spec.ipFamilies).toEqual(['IPv6']);
  });
});
