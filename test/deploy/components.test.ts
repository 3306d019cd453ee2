import { describe, expect, test } from 'vitest';
import { CANNOT_RENDER, type Manifest, renderOverlay, renderWithComponent } from './render.ts';

describe.skipIf(CANNOT_RENDER)('component outgoing', () => {
  test('gives the proxy and the certificates to API, workers and LLM service, and to no proxy in front', () => {
    const pods = renderWithComponent('outgoing')
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => spec.template.spec);
    const containers = pods.flatMap(({ containers }) => containers);
    const given = containers.filter(({ envFrom = [] }) =>
      envFrom.some(({ secretRef }: { secretRef?: { name: string } }) => secretRef?.name === 'tarsy-outgoing'),
    );
    expect(given.map(({ name }) => name).sort()).toEqual(['api', 'llm-service', 'worker']);
    for (const { volumeMounts } of given)
      expect(volumeMounts).toContainEqual({ name: 'outgoing', mountPath: '/outgoing', readOnly: true });
    for (const { volumes } of pods)
      expect(volumes).toContainEqual({
        name: 'outgoing',
        configMap: { name: 'tarsy-outgoing', optional: true },
      });
  });
});

describe.skipIf(CANNOT_RENDER)('component changes-secrets', () => {
  test('lets the worker read Secrets, which it may not otherwise', () => {
    const rulesOf = (manifests: Manifest[]) =>
      manifests
        .filter(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name.startsWith('tarsy-worker'))
        .flatMap(({ rules }) => rules);
    const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] };
    expect(rulesOf(renderWithComponent('changes-secrets'))).toContainEqual(secrets);
    expect(JSON.stringify(rulesOf(renderOverlay('kubernetes').manifests))).not.toContain('secrets');
  });

  test('gives the worker permissions to read only', () => {
    const roles = renderWithComponent('changes-secrets').filter(
      ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name.startsWith('tarsy-worker'),
    );
    expect(new Set(roles.flatMap(({ rules }) => rules).flatMap(({ verbs }) => verbs))).toEqual(
      new Set(['get', 'list']),
    );
  });
});
