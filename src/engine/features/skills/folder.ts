import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { ConfigIssue } from '../../../config/errors.ts';

/** Instructions for one kind of work, which the operator wrote. */
export interface Skill {
  name: string;
  /** When to use it: what agents choose by. */
  description: string;
  body: string;
}

/** What a folder has, and what is wrong in it. */
export interface SkillFolder {
  skills: readonly Skill[];
  issues: readonly ConfigIssue[];
}

/** Bytes of one file: more than a model should read at once. */
const MAX_BYTES = 64 * 1024;

const HEAD = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'has 1 to 63 letters, digits, ".", "_" or "-"'),
  description: z.string().trim().min(1, 'must say when to use it').max(500),
});

/** Where the skills of a folder are: `<name>/SKILL.md` or `<name>.md`. Empty when there is no such folder. */
async function skillFiles(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return [join(dir, entry.name, 'SKILL.md')];
    return entry.name.endsWith('.md') ? [join(dir, entry.name)] : [];
  });
  return files.sort();
}

/** Which files there are, and when each was changed: another text when a skill is. */
export async function folderSignature(dir: string): Promise<string> {
  const files = await skillFiles(dir);
  const stats = await Promise.all(
    files.map(async (file) => {
      const found = await stat(file).catch(() => null);
      return `${file} ${found?.mtimeMs} ${found?.size}`;
    }),
  );
  return stats.join('\n');
}

/** Reads all skills of a folder, and finds all that is wrong with them. */
export async function readSkills(dir: string): Promise<SkillFolder> {
  const skills = new Map<string, Skill>();
  const issues: ConfigIssue[] = [];
  for (const file of await skillFiles(dir)) {
    const wrong = (message: string) => issues.push({ file, line: 0, column: 0, path: '', message });
    const text = await readFile(file).catch(() => null);
    if (text === null) wrong('cannot be read');
    else if (text.length > MAX_BYTES) wrong(`has ${text.length} bytes, at most ${MAX_BYTES} are allowed`);
    else {
      const read = parseSkill(text.toString('utf8'));
      if (typeof read === 'string') wrong(read);
      else if (skills.has(read.name)) wrong(`another skill has the name ${read.name} already`);
      else skills.set(read.name, read);
    }
  }
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), issues };
}

/** A skill's file; in words what is wrong with it. */
export function parseSkill(text: string): Skill | string {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (match === null) return 'begins with no front matter: name and description between two lines of ---';
  let data: unknown;
  try {
    data = parse(match[1]!, { maxAliasCount: 0 });
  } catch {
    return 'its front matter is not YAML';
  }
  const head = HEAD.safeParse(data);
  if (!head.success)
    return head.error.issues
      .map(({ path, message }) => `${path.join('.') || 'front matter'}: ${message}`)
      .join('; ');
  const body = (match[2] ?? '').trim();
  return body === '' ? 'has no text below its front matter' : { ...head.data, body };
}
