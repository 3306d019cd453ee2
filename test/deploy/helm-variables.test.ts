import { describe, expect, test } from 'vitest';
import { HELM, renderChart } from './chart.ts';
import { of } from './network-problems.ts';

const VARIABLES = {
  GOOGLE_CLOUD_PROJECT: 123456789012,
  LIMIT: 1_000_000,
  SHARE: 0.5,
  SWITCH: true,
  TEXT: 'a "quoted" $text\\',
};
const TEXTS = {
  GOOGLE_CLOUD_PROJECT: '123456789012',
  LIMIT: '1000000',
  SHARE: '0.5',
  SWITCH: 'true',
  TEXT: 'a "quoted" $text\\',
};

describe.skipIf(!HELM)('variables of the chart (skipped without Helm)', () => {
  test('have the digits of the values', () => {
    const { manifests } = renderChart({
      environment: VARIABLES,
      llmService: { environment: VARIABLES },
      signIn: { oauth2Proxy: { environment: VARIABLES } },
    });
    const dataOf = (name: string) =>
      of(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === name)?.data;
    const service = of(manifests, 'Deployment').find(({ metadata }) => metadata.name === 'tarsy-llm-service');
    const { env } = service.spec.template.spec.containers[0];
    const ofService = env.map(({ name, value }: { name: string; value?: string }) => [name, value]);
    expect(dataOf('tarsy-environment')).toMatchObject(TEXTS);
    expect(dataOf('tarsy-sign-in')).toMatchObject(TEXTS);
    expect(Object.fromEntries(ofService)).toMatchObject(TEXTS);
  });
});
