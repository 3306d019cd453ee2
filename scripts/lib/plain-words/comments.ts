import type { Passage } from './words.ts';

const COMMENT = /(?<=^|[\s({])\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*(?:\n\s*\/\/.*)*/gm;
const PYTHON_COMMENT = /"""[\s\S]*?"""|(?<=^|\s)#.*(?:\n\s*#.*)*/gm;
const MARKS = /^[ \t]*(?:\/\*\*?|\*\/?|\/\/|#|""")[ \t]?/gm;
const TEST_NAME = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])([\s\S]*?)\1/g;

/** Returns the comments of a source file, and the names of its tests. */
export function commentsOf(file: string, text: string): Passage[] {
  const comments = [...text.matchAll(file.endsWith('.py') ? PYTHON_COMMENT : COMMENT)];
  const names = /\.test\.tsx?$/.test(file) ? [...text.matchAll(TEST_NAME)] : [];
  return [
    ...comments.map((match) => ({ at: match.index, prose: match[0].replace(MARKS, '') })),
    ...names.map((match) => ({ at: match.index, prose: match[2]! })),
  ];
}
