/**
 * Takes the pictures of the dashboard and of messages in Slack for the docs, light and dark, from a started TARSy with
 * a scripted model.
 *
 *   npm run docs:pictures                                      all, into docs/pictures
 *   npm run docs:pictures -- --only session,slack-verdict      some of them
 *   npm run docs:pictures -- --all-widths --out /tmp/pictures  whole pages at 390, 1024, 1440 and 1920 pixels
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHROMIUM, NO_CHROMIUM } from '../test/helpers/browser.ts';
import { ROOT } from './lib/dev-python.ts';
import { runStep } from './lib/run-step.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string' },
    'all-widths': { type: 'boolean', default: false },
  },
});
if (CHROMIUM === null) {
  process.stderr.write(`${NO_CHROMIUM}\n`);
  process.exit(1);
}
const env = {
  PICTURES_OUT: resolve(values.out ?? join(ROOT, 'docs/pictures')),
  ...(values['all-widths'] && { PICTURES_WIDTHS: 'all' }),
  ...(values.only !== undefined && { PICTURES_ONLY: values.only }),
};
const names = values.only?.split(',') ?? [];
const isSlack = (name: string) => name.startsWith('slack-');
const files = [
  ...(names.every(isSlack) && names.length > 0 ? [] : ['test/pictures/take-pictures.ts']),
  ...(names.length === 0 || names.some(isSlack) ? ['test/pictures/take-slack-pictures.ts'] : []),
];
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
process.exitCode = await runStep(
  process.execPath,
  [vitest, 'run', '--config', 'test/pictures/vitest.config.ts', ...files],
  { env },
);
