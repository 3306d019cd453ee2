import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { ConfigIssue } from '../../../config/errors.ts';

/** The operator's instructions for one kind of work. */
export interface Skill {
  name: string;
  /** When to use the skill; agents choose by this text. */
  description: string;
  body: string;
}

export interface SkillFolder {
  skills: readonly Skill[];
  issues: readonly ConfigIssue[];
}

/** Maximum size of a skill (bytes), because a model reads all of it. */
const MAX_BYTES = 64 * 1024;

const HEAD = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'has 1 to 63 letters, digits, ".", "_" or "-"'),
  description: z.string().trim().min(1, 'must describe when to use the skill').max(500),
});

/** Returns the possible skill files `<name>/SKILL.md` and `<name>.md`; none if the folder does not exist. */
async function skillFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const visible = names.filter((name) => !name.startsWith('.')).sort();
  const files = await Promise.all(
    visible.map(async (name) => {
      const path = join(dir, name);
      const found = await stat(path).catch(() => null); // the target of a link, as in volumes of Kubernetes
      if (found?.isDirectory()) return [join(path, 'SKILL.md')];
      return name.endsWith('.md') || found === null ? [path] : [];
    }),
  );
  return files.flat();
}

/** Returns the skill files with their times and sizes as a text, which differs after a change. */
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

export async function readSkills(dir: string): Promise<SkillFolder> {
  const skills = new Map<string, Skill>();
  const issues: ConfigIssue[] = [];
  for (const file of await skillFiles(dir)) {
    const report = (message: string) => issues.push({ file, line: 0, column: 0, path: '', message });
    const text = await readFile(file).catch(() => null);
    if (text === null) report('cannot be read');
    else if (text.length > MAX_BYTES) report(`has ${text.length} bytes; at most ${MAX_BYTES} are allowed`);
    else {
      const parsed = parseSkill(text.toString('utf8'));
      if (parsed.kind === 'invalid') report(parsed.problem);
      else if (skills.has(parsed.skill.name))
        report(`another skill has the name ${parsed.skill.name} already`);
      else skills.set(parsed.skill.name, parsed.skill);
    }
  }
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), issues };
}

type ParsedSkill = { kind: 'skill'; skill: Skill } | { kind: 'invalid'; problem: string };

export function parseSkill(text: string): ParsedSkill {
  const invalid = (problem: string) => ({ kind: 'invalid', problem }) as const;
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (match === null)
    return invalid('must begin with front matter: name and description between two lines of ---');
  let data: unknown;
  try {
    data = parse(match[1]!, { maxAliasCount: 0 });
  } catch {
    return invalid('its front matter is not YAML');
  }
  const head = HEAD.safeParse(data);
  if (!head.success)
    return invalid(
      head.error.issues
        .map(({ path, message }) => `${path.join('.') || 'front matter'}: ${message}`)
        .join('; '),
    );
  const body = (match[2] ?? '').trim();
  if (body === '') return invalid('has no text below its front matter');
  return { kind: 'skill', skill: { ...head.data, body } };
}
