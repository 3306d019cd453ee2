import { beforeAll, describe, expect, test } from 'vitest';
import { HELM, LIKE_KUSTOMIZE, renderChart } from './chart.ts';
import { factsOf } from './chart-facts.ts';
import { of } from './network-problems.ts';
import { CANNOT_RENDER, type Manifest, renderOverlay } from './render.ts';

describe.skipIf(!HELM || CANNOT_RENDER)(
  'the Helm chart compared with kustomize (skipped without either)',
  () => {
    let kustomize: Record<string, Manifest>;
    let chart: Manifest[];
    beforeAll(() => {
      const overlay = renderOverlay('kubernetes').manifests.filter(({ kind }) => kind !== 'Namespace');
      kustomize = factsOf(overlay);
      chart = renderChart(LIKE_KUSTOMIZE).manifests.filter(({ kind }) => kind !== 'Pod');
    });

    test('has the same objects with the same facts', () => {
      expect(factsOf(chart)).toEqual(kustomize);
    });

    const CONTAINER = ['spec', 'template', 'spec', 'containers', 0];
    test.each<[string, string, string, (string | number)[], unknown]>([
      ['name of a variable', 'Deployment', 'tarsy-worker', [...CONTAINER, 'env', 0, 'name'], 'DATABASE_URI'],
      ['port', 'Deployment', 'tarsy-api', [...CONTAINER, 'ports', 0, 'containerPort'], 8081],
      ['image', 'Deployment', 'tarsy-llm-service', [...CONTAINER, 'image'], 'other:1'],
      ['probe', 'Deployment', 'tarsy-api', [...CONTAINER, 'readinessProbe', 'periodSeconds'], 6],
      ['memory', 'Deployment', 'tarsy-worker', [...CONTAINER, 'resources', 'limits', 'memory'], '3Gi'],
      [
        'right',
        'Deployment',
        'tarsy-api',
        [...CONTAINER, 'securityContext', 'readOnlyRootFilesystem'],
        false,
      ],
      [
        'Secret',
        'Deployment',
        'tarsy-llm-service',
        [...CONTAINER, 'envFrom', 0, 'secretRef', 'name'],
        'keys',
      ],
      ['variable', 'ConfigMap', 'tarsy-environment', ['data', 'LOG_LEVEL'], 'debug'],
      ['rule', 'ClusterRole', 'tarsy-worker-changes', ['rules', 0, 'verbs', 0], 'watch'],
      ['policy', 'NetworkPolicy', 'tarsy-llm-service', ['spec', 'ingress', 0, 'ports', 0, 'port'], 'metrics'],
      [
        'annotation',
        'Ingress',
        'tarsy',
        ['metadata', 'annotations', 'nginx.ingress.kubernetes.io/proxy-body-size'],
        '1m',
      ],
    ])('notices another %s of a %s', (_, kind, name, path, value) => {
      const changed = structuredClone(chart);
      const object = of(changed, kind).find(({ metadata }) => metadata.name === name);
      const owner = path.slice(0, -1).reduce((at: Manifest, part) => at[part], object);
      expect(owner[path.at(-1)!]).toBeDefined();
      owner[path.at(-1)!] = value;
      expect(factsOf(changed)).not.toEqual(kustomize);
    });
  },
);
