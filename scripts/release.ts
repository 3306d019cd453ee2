/**
 * Makes a release: sets the version, cuts the changelog, commits and tags. Pushes nothing.
 *
 *   npm run release -- <version>            prints each step and changes nothing
 *   npm run release -- <version> --write    makes the release
 */
import { parseArgs } from 'node:util';
import { makeRelease, planRelease } from './lib/release.ts';

const USAGE = 'usage: npm run release -- <version> [--write]';

function readArguments(): { version: string; write: boolean } {
  const { values, positionals } = parseArgs({
    options: { write: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [version, ...others] = positionals;
  if (version === undefined || others.length > 0) throw new Error(USAGE);
  return { version, write: values.write };
}

try {
  const { version, write } = readArguments();
  const plan = planRelease(process.cwd(), version);
  for (const { path } of plan.files) console.log(`write ${path}`);
  console.log(`commit "${plan.subject}"`);
  console.log(`tag ${plan.tag} with this message:\n\n${plan.notes}`);
  if (write) {
    makeRelease(process.cwd(), plan);
    console.log(`\nDone. Publish it with: git push origin HEAD ${plan.tag}`);
  } else console.log('\nDry run: nothing is changed. Repeat it with --write.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
