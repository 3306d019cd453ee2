import { describe, expect, test } from 'vitest';
import { MUST_MASK_KUBERNETES } from '../fixtures/must-mask-kubernetes.ts';
import { maskKubernetesSecrets } from './secrets.ts';

const mask = maskKubernetesSecrets;

describe('Secrets of Kubernetes', () => {
  test.each(MUST_MASK_KUBERNETES)('$name', ({ text, secrets, masked }) => {
    const result = mask(text);
    if (masked !== null) expect(result).toBe(masked);
    for (const secret of secrets) expect(result).not.toContain(secret);
    expect(mask(result)).toBe(result);
  });

  test.each(MUST_MASK_KUBERNETES.filter(({ masked }) => masked !== null))(
    '$name, within a result in JSON',
    ({ text, masked }) => {
      const wrap = (content: string) => JSON.stringify({ content: [{ type: 'text', text: content }] });
      expect(JSON.parse(mask(wrap(text)))).toEqual(JSON.parse(wrap(masked ?? '')));
    },
  );
});

test('each case of the corpus hides something', () => {
  for (const { name, text, secrets } of MUST_MASK_KUBERNETES) {
    for (const secret of secrets) expect(text, name).toContain(secret);
  }
});
