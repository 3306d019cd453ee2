import { expect, test } from 'vitest';
import { randomCase } from '../../../test/fixtures/masking/random-secrets.ts';
import { maskKubernetesSecrets } from './secrets.ts';

const mask = maskKubernetesSecrets;

/** `npm run test:masking` runs more cases; `FUZZ_SEED` sets the first seed. */
const CASES = Number(process.env.FUZZ_CASES ?? 20_000);
const FIRST_SEED = Number(process.env.FUZZ_SEED ?? 1);

test(`masks all secrets in ${CASES} random documents, and masking again changes nothing`, {
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
  // A few rare forms are masked beyond their Secrets, which is safe; other objects are usually unchanged.
  expect(overMasked / CASES).toBeLessThan(0.01);
});
