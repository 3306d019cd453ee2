import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uiTexts } from './plain-words/ui-texts.ts';

/** Matches words that open a sentence without naming its subject. */
const OPENINGS = /^(?:(?:What|Who|Whoever|Whose|Whether|Of|That|Those|It|Its)\b|…)/;

/** Matches words for which docs/concepts/glossary.md names a plainer word. */
const WORDS =
  /\b(?:anew|shall|who(?:so)?ever|likewise|all the same|(?:cannot|could not|can) be had|told of|go(?:es|ing)? on|went on|br(?:eaks?|oke|oken|eaking) off|such a one|(?:of|by) which|somebody|nobody)\b/i;

const COMMENT = /(?<=^|[\s({])\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*(?:\n\s*\/\/.*)*/gm;
const PYTHON_COMMENT = /"""[\s\S]*?"""|(?<=^|\s)#.*(?:\n\s*#.*)*/gm;
const MARKS = /^[ \t]*(?:\/\*\*?|\*\/?|\/\/|#|""")[ \t]?/gm;
const TEST_NAME = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])([\s\S]*?)\1/g;
/** Matches descriptions in the GraphQL schema and configuration. Elsewhere, descriptions are prompts for models. */
const DESCRIPTION = /\bdescri(?:be\(|ption:)\s*(['"`])([\s\S]*?)\1/g;

/** Returns the unclear sentences of a file's comments, test names, descriptions and UI texts, each as `line: sentence`. */
export function wordProblems(file: string, text: string): string[] {
  const comments = [...text.matchAll(file.endsWith('.py') ? PYTHON_COMMENT : COMMENT)];
  const named = /\.test\.tsx?$/.test(file) ? [...text.matchAll(TEST_NAME)] : [];
  const described = /^src\/(?:schema|resolvers|config)\//.test(file) ? [...text.matchAll(DESCRIPTION)] : [];
  const texts = [
    ...comments.map((match) => ({ at: match.index, prose: match[0].replace(MARKS, '') })),
    ...[...named, ...described].map((match) => ({ at: match.index, prose: match[2]! })),
    ...(/^web\/src\/.*(?<!\.test)\.tsx?$/.test(file) ? uiTexts(file, text) : []),
  ];
  return texts.flatMap(({ at, prose }) => {
    const line = text.slice(0, at).split('\n').length;
    const unclear = sentences(prose).filter(isUnclear);
    return unclear.map((sentence) => `${line}: ${sentence.slice(0, 100)}`);
  });
}

/** True if a sentence opens without naming its subject, or has a word that the glossary replaces. */
export function isUnclear(sentence: string): boolean {
  return OPENINGS.test(sentence) || WORDS.test(sentence);
}

function sentences(prose: string): string[] {
  const paragraphs = prose.replace(/`[^`]*`/g, 'code').replace(/^@(?:param|returns|throws)\s/gm, '\n\n');
  return paragraphs.split(/\n\s*\n/).flatMap((text) =>
    text
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?])\s+/),
  );
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const listing = ['ls-files', '-co', '--exclude-standard', '--', ...process.argv.slice(2)];
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\n');
  const written = files.filter(
    (file) => /\.(?:m?tsx?|mjs|py)$/.test(file) && !/_pb2|\/gen\/|plain-words/.test(file),
  );
  const problems = written.flatMap((file) =>
    wordProblems(file, readFileSync(join(root, file), 'utf8')).map((problem) => `${file}:${problem}`),
  );
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
