import { z } from 'zod';
import type { ConfigIssue } from './errors.ts';
import { alternatives, isSchema, type JsonSchema } from './schema-tree.ts';
import type { Path, SourceFile } from './source-file.ts';
import { didYouMean } from './suggest.ts';

type ZodIssue = z.core.$ZodIssue;

/** Keys that the Go version of TARSy or other programs use, and the hint at their replacement here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  llm_backend: 'iteration_strategy: native-thinking (Google) or langchain decides it here',
  backend: 'the iteration strategy decides it here',
  worker_count: 'it is called worker_concurrency here',
  orphan_threshold: 'it is called lease_duration here',
};

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
};

/** Converts a Zod issue into issues with file positions. */
export function toConfigIssues(issue: ZodIssue, source: SourceFile, schema: z.ZodType): ConfigIssue[] {
  if (source.isUnresolved(issue.path)) return [];
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path, valueAt(source.data, issue.path));
    return issue.keys.map((key) => source.issueAtKey([...issue.path, key], unknownKey(key, known)));
  }
  const ofForm = issue.code === 'invalid_union' ? issuesOfOnlyMatch(issue) : null;
  if (ofForm !== null)
    return ofForm.flatMap((inner) =>
      toConfigIssues({ ...inner, path: [...issue.path, ...inner.path] }, source, schema),
    );
  if (issue.code === 'invalid_key') {
    return [source.issueAtKey(issue.path, issue.issues[0]?.message ?? issue.message)];
  }
  return [source.issue(issue.path, message(issue, source))];
}

/** Returns the issues of the alternative whose type fits the value; `null` if no or several alternatives fit. */
function issuesOfOnlyMatch({ errors }: z.core.$ZodIssueInvalidUnion): readonly ZodIssue[] | null {
  const tried = errors.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  return tried.length === 1 ? tried[0]! : null;
}

/** Returns the keys allowed in the mapping at a path. The mapping's `type` selects among alternatives. */
function knownKeys(schema: z.ZodType, path: Path, written: unknown): string[] {
  let level = [z.toJSONSchema(schema, { io: 'input' }) as JsonSchema];
  for (const part of path) level = level.flatMap(alternatives).flatMap((at) => step(at, part));
  const forms = level.flatMap(alternatives);
  const fitting = forms.filter((form) => isOfType(form, written));
  const keys = (fitting.length > 0 ? fitting : forms).flatMap(({ properties, propertyNames }) => [
    ...Object.keys(properties ?? {}),
    ...(isSchema(propertyNames) ? (propertyNames.enum ?? []).map(String) : []),
  ]);
  return [...new Set(keys)];
}

function isOfType(form: JsonSchema, written: unknown): boolean {
  const type = form.properties?.type;
  return isSchema(type) && type.const !== undefined && type.const === valueAt(written, ['type']);
}

function step(schema: JsonSchema, part: PropertyKey): JsonSchema[] {
  const next: unknown =
    typeof part === 'number'
      ? schema.items
      : (schema.properties?.[String(part)] ?? schema.additionalProperties);
  return isSchema(next) ? [next] : [];
}

function unknownKey(key: string, known: readonly string[]): string {
  const other = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  if (other !== undefined && !known.includes(key)) return `unknown key; ${other}`;
  const near = didYouMean(key, known);
  return near === '' ? `unknown key; possible here: ${known.join(', ')}` : `unknown key${near}`;
}

function message(issue: ZodIssue, source: SourceFile): string {
  const value = valueAt(source.data, issue.path);
  const got = `got ${source.isFromTemplate(issue.path) ? 'the value of its variable' : describe(value)}`;
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? 'is required' : `${expectation(issue)}, ${got}`;
    case 'invalid_value':
      return choice(issue.values.map(String), value, got);
    case 'invalid_union':
      return choice('options' in issue ? (issue.options ?? []).map(String) : [], value, got);
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), got);
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum), got);
    case 'invalid_format':
      return `${issue.message}, ${got}`;
    default:
      return issue.message;
  }
}

function expectation(issue: z.core.$ZodIssueInvalidType): string {
  if (issue.message.startsWith('expected ')) return issue.message;
  return `expected ${EXPECTED[issue.expected] ?? issue.expected}`;
}

function choice(options: readonly string[], value: unknown, got: string): string {
  if (value === undefined) return `is required: one of ${options.join(', ')}`;
  const near = typeof value === 'string' ? didYouMean(value, options) : '';
  return `expected one of ${options.join(', ')}; ${got}${near}`;
}

function tooSmall(origin: string, minimum: number, got: string): string {
  if (origin === 'string') return 'must not be empty; leave the key out instead';
  if (origin === 'array') return 'must not be an empty list';
  return `must be at least ${minimum}, ${got}`;
}

function tooBig(origin: string, maximum: number, got: string): string {
  if (origin === 'string') return `must have at most ${maximum} characters`;
  if (origin === 'array') return `must have at most ${maximum} entries`;
  return `must be at most ${maximum}, ${got}`;
}

function describe(value: unknown): string {
  if (typeof value === 'string') {
    return `text ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
  }
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : String(value);
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}
