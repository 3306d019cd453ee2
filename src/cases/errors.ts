import { z } from 'zod';
import type { CaseDocument } from './document.ts';
import { CASE_FORMAT } from './document.ts';
import { patternProblem } from './patterns.ts';

/** One problem of a case. `line`: 1-based; 0 if the file as a whole is the problem. */
export interface CaseIssue {
  file: string;
  line: number;
  /** Path of the value, such as `calls.3.tool`; empty for the whole file. */
  path: string;
  message: string;
}

/** Largest number of problems that the message names. */
const MAX_SHOWN = 10;

/** A case that cannot be read. Nothing of it is used. */
export class CaseError extends Error {
  override name = 'CaseError';
  readonly issues: readonly CaseIssue[];
  constructor(issues: readonly CaseIssue[]) {
    const more = issues.length > MAX_SHOWN ? [`… and ${issues.length - MAX_SHOWN} more problems`] : [];
    super([...issues.slice(0, MAX_SHOWN).map(describeIssue), ...more].join('\n'));
    this.issues = issues;
  }
}

function describeIssue({ file, line, path, message }: CaseIssue): string {
  return `${file}${line > 0 ? `:${line}` : ''}: ${path === '' ? '' : `${path}: `}${message}`;
}

export type Locate = (path: readonly PropertyKey[]) => Pick<CaseIssue, 'file' | 'line'>;

/** Validates data against a schema. @throws CaseError with the place of each problem */
export function checked<T>(schema: z.ZodType<T>, data: unknown, locate: Locate): T {
  const format: unknown = z.looseObject({ format: z.unknown() }).safeParse(data).data?.format;
  if (typeof format === 'number' && format > CASE_FORMAT) {
    const message = `has format ${format}; this version of TARSy reads up to ${CASE_FORMAT}. Use a newer TARSy.`;
    throw new CaseError([{ ...locate(['format']), path: 'format', message }]);
  }
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new CaseError(
    result.error.issues.map((issue) => ({
      ...locate(issue.path),
      path: issue.path.join('.'),
      message: issue.code === 'unrecognized_keys' ? `unknown key ${issue.keys.join(', ')}` : issue.message,
    })),
  );
}

/** Checks what a schema cannot express: names that refer to each other. @throws CaseError */
export function checkReferences(
  {
    tools,
    calls,
    expect,
  }: Pick<CaseDocument, 'tools' | 'expect'> & {
    calls: readonly { server: string; tool: string }[];
  },
  locate: Locate,
): void {
  const issues: CaseIssue[] = [];
  const add = (path: (string | number)[], message: string) =>
    issues.push({ ...locate(path), path: path.join('.'), message });
  const known = new Set<string>();
  for (const [index, { server, name }] of tools.entries()) {
    const full = `${server}.${name}`;
    if (known.has(full)) add(['tools', index, 'name'], `the tool ${full} is listed twice`);
    known.add(full);
  }
  for (const [index, { server, tool }] of calls.entries())
    if (!known.has(`${server}.${tool}`))
      add(['calls', index, 'tool'], `unknown tool ${server}.${tool}; list it under tools`);
  if (expect.cause !== undefined && !expect.causes.includes(expect.cause))
    add(['expect', 'cause'], 'must be one of the causes; list all causes to choose from under causes');
  for (const key of ['must_say', 'must_not_say'] as const)
    for (const [index, text] of expect[key].entries()) {
      const problem = patternProblem(text);
      if (problem !== null) add(['expect', key, index], problem);
    }
  if (issues.length > 0) throw new CaseError(issues);
}
