import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { HELM, renderChart, VALUE_SETS } from './chart.ts';
import { type FixedFacts, fixedFacts } from './fixed-facts.ts';
import { type Manifest, ROOT } from './render.ts';

/** One file for each version from which an upgrade must work, with the facts of its chart by set of values. */
const FORMER = globSync('test/fixtures/charts/*.yaml', { cwd: ROOT }).map(
  (file) => [file, parse(readFileSync(join(ROOT, file), 'utf8'))] as [string, Record<string, FixedFacts>],
);

/** Returns why Helm or Kubernetes refuses an upgrade, or pods do not start after it. */
function upgradeProblems(former: FixedFacts, manifests: readonly Manifest[]): string[] {
  const now = fixedFacts(manifests);
  return [
    ...former.objects.filter((fact) => !now.objects.includes(fact)).map((fact) => `lost: ${fact}`),
    ...now.secrets.filter((name) => !former.secrets.includes(name)).map((name) => `needs: ${name}`),
  ];
}

describe.skipIf(!HELM)('an upgrade of the Helm chart (skipped without Helm)', () => {
  test.each(FORMER)('from %s changes nothing that cannot change', (_, sets) => {
    expect(Object.keys(sets).length).toBeGreaterThan(1);
    for (const [name, former] of Object.entries(sets))
      expect(upgradeProblems(former, renderChart(VALUE_SETS[name]!).manifests), name).toEqual([]);
  });

  const API = { kind: 'Deployment', name: 'tarsy-api' };
  const container = (object: Manifest) => object.spec.template.spec.containers[0];
  test.each<[string, { kind: string; name: string }, (object: Manifest) => void, RegExp]>([
    [
      'selector',
      API,
      (object) => Object.assign(object.spec.selector.matchLabels, { app: 'tarsy' }),
      /^lost: Deployment tarsy\/tarsy-api spec.selector/,
    ],
    [
      'name',
      { kind: 'Service', name: 'tarsy' },
      ({ metadata }) => Object.assign(metadata, { name: 'tarsy-api' }),
      /^lost: Service tarsy\/tarsy$/,
    ],
    [
      'role',
      { kind: 'ClusterRoleBinding', name: 'tarsy-worker-view' },
      ({ roleRef }) => Object.assign(roleRef, { name: 'edit' }),
      /^lost: ClusterRoleBinding tarsy-worker-view roleRef/,
    ],
    [
      'key of a Secret',
      API,
      (object) =>
        container(object).env.push({
          name: 'A',
          valueFrom: { secretKeyRef: { name: 'tarsy-database', key: 'password' } },
        }),
      /^needs: tarsy-database\/password$/,
    ],
    [
      'Secret',
      API,
      (object) => container(object).envFrom.push({ secretRef: { name: 'tarsy-more' } }),
      /^needs: tarsy-more$/,
    ],
  ])('notices another %s', (_, { kind, name }, change, problem) => {
    const { manifests } = renderChart(VALUE_SETS.everything!);
    change(manifests.find((object) => object.kind === kind && object.metadata.name === name));
    const [[, sets]] = FORMER as [(typeof FORMER)[0]];
    expect(upgradeProblems(sets.everything!, manifests)).toEqual([expect.stringMatching(problem)]);
  });
});
