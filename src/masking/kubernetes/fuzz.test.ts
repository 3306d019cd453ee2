import { expect, test } from 'vitest';
import { randomCase } from '../../../test/fixtures/masking/random-secrets.ts';
import { maskKubernetesSecrets } from './secrets.ts';

const mask = maskKubernetesSecrets;

/** `npm run test:masking` tries more; `FUZZ_SEED` begins elsewhere. */
const CASES = Number(process.env.FUZZ_CASES ?? 20_000);
const FIRST_SEED = Number(process.env.FUZZ_SEED ?? 1);

test(`no secret is left in ${CASES} random documents, and masking again changes nothing`, {
  timeout: 600_000,
}, () => {
  const leaks: string[] = [];
  let overMasked = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES && leaks.length < 5; seed++) {
    const { text, secrets, kept } = randomCase(seed);
    const masked = mask(text);
    const left = secrets.filter((secret) => masked.includes(secret));
    if (kept.some((value) => !masked.includes(value))) overMasked++;
    if (left.length > 0) leaks.push(`seed ${seed} leaks ${left.join(', ')} in:\n${text}\nmasked:\n${masked}`);
    if (mask(masked) !== masked)
      leaks.push(`seed ${seed} is not stable:\n${masked}\nbecomes:\n${mask(masked)}`);
  }
  expect(leaks.join('\n\n')).toBe('');
  // Rare forms are masked beyond their Secrets, which is the safe side; other objects are left alone as a rule.
  expect(overMasked / CASES).toBeLessThan(0.01);
});
