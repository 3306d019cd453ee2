import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentsOf } from './plain-words/comments.ts';
import { passagesOf } from './plain-words/pages.ts';
import { stringsOf } from './plain-words/strings.ts';
import { uiTexts } from './plain-words/ui-texts.ts';
import { type Passage, unclearSentences } from './plain-words/words.ts';

/** Prints the unclear sentences of the repository, or of the given paths, and exits with 1 if there are any. */
const ROOT = join(import.meta.dirname, '../..');

const SOURCE = /\.(?:m?tsx?|mjs|py)$/;
/** Pages, except records that stay as they were written, and the glossary, which lists words to avoid. */
const PAGE = /^(?!CHANGELOG\.md$|docs\/(?:project\/)?adr\/|docs\/concepts\/glossary\.md$).*\.md$/;
/** Texts of programs, and data of tests, which includes their strings. */
const GENERATED = /_pb2|\/gen\//;
const DATA = /\/(?:fixtures|golden)\//;
const TEST = /\.test\.tsx?$|^test\/|\/tests\//;

/** Returns the texts of a file that people or models read. */
function passagesIn(file: string, text: string): Passage[] {
  if (GENERATED.test(file)) return [];
  if (PAGE.test(file)) return DATA.test(file) ? [] : passagesOf(text);
  if (file === 'schema.graphql') return stringsOf(file, text);
  if (!SOURCE.test(file)) return [];
  const comments = commentsOf(file, text);
  if (TEST.test(file) || DATA.test(file)) return comments;
  return [...comments, ...(file.startsWith('web/') ? uiTexts(file, text) : stringsOf(file, text))];
}

const listing = ['ls-files', '-co', '--exclude-standard', '--', ...process.argv.slice(2)];
const files = execFileSync('git', listing, { cwd: ROOT, encoding: 'utf8' }).split('\n');
const texts = files.filter((file) => /\.(?:md|graphql)$/.test(file) || SOURCE.test(file));
const problems = texts.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return unclearSentences(passagesIn(file, text)).map(({ at, prose }) => {
    const line = text.slice(0, at).split('\n').length;
    return `${file}:${line}: ${prose.slice(0, 100)}`;
  });
});
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
