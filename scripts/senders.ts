/**
 * Writes the setup instructions for senders, shown on the System page, from docs/how-to/alert-sources.
 *
 *   node scripts/senders.ts [--check]
 *
 * `--check` writes nothing and exits with 1 if the committed file is out of date.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readSenders, type Sender } from './lib/senders.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'web/src/features/system/gen/senders.ts');
const wanted = `// Made by \`npm run web:senders\` from docs/how-to/alert-sources.
export type SenderPart =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly label: string; readonly text: string };

export interface Sender {
  readonly title: string;
  readonly parts: readonly SenderPart[];
}

/** Pages by type of source. */
export const senders: Readonly<Record<string, Sender>> = {
${Object.entries(readSenders()).map(sourceOf).join('\n')}
};
`;

if (!process.argv.includes('--check')) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, wanted);
} else if (readFileSync(target, 'utf8') !== wanted) {
  process.stderr.write(`${relative(root, target)} is out of date: run \`npm run web:senders\`.\n`);
  process.exitCode = 1;
}

/** Returns the source of one entry, with a line for each part, so that a changed part is one changed line. */
function sourceOf([type, { title, parts }]: [string, Sender]): string {
  const lines = parts.map((part) => `    ${JSON.stringify(part)},`);
  return `  ${JSON.stringify(type)}: { title: ${JSON.stringify(title)}, parts: [\n${lines.join('\n')}\n  ] },`;
}
