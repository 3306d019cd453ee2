import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  type YAMLError,
} from 'yaml';
import { errorMessage } from '../common/error-message.ts';
import type { EnvironmentRecord } from './env.ts';
import type { ConfigIssue } from './errors.ts';
import { type Interpolated, interpolate, isTemplate } from './interpolate.ts';

export type Path = readonly PropertyKey[];

export interface SourceFile {
  readonly file: string;
  /** Plain data with templates replaced and empty values left out. */
  readonly data: unknown;
  /** Returns an issue at the position of the value at `path`; if it is missing, at the nearest key above. */
  issue(path: Path, message: string): ConfigIssue;
  issueAtKey(path: Path, message: string): ConfigIssue;
  /** Returns the line (1-based) of a value and the variables in its templates; `null` if the file lacks the value. */
  position(path: Path): { line: number; variables: readonly string[] } | null;
  /** True if the value came from a template; it may be a secret and must not be shown. */
  isFromTemplate(path: Path): boolean;
  /** True if a template of the value failed. Callers then report no further issue about the value. */
  isUnresolved(path: Path): boolean;
  /** Returns this file with the values at `paths` converted to numbers or booleans where each is one whole template. */
  coerce(paths: readonly Path[]): SourceFile;
}

export interface ParsedSource {
  /** `null` if the file is unusable. */
  readonly source: SourceFile | null;
  readonly issues: readonly ConfigIssue[];
  /** Values of the secret-looking environment variables that the file uses. */
  readonly secrets: readonly string[];
}

/** Remedy for patterns and cron expressions that YAML reads as aliases. */
const QUOTE_ASTERISK = 'text that begins with * needs quotes';

/** Maximum number of resolved YAML aliases, because nested aliases expand exponentially. */
const MAX_ALIASES = 100;

/** Parses a configuration file and collects all of its problems. @param file its name in messages */
export function parseSourceFile(file: string, text: string, env: EnvironmentRecord): ParsedSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number, path: string, message: string): ConfigIssue => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col, path, message };
  };
  const issues = [...document.errors, ...document.warnings].map((error) =>
    at(error.pos[0], '', yamlMessage(error, text)),
  );
  if (document.errors.some((error) => error.code !== 'DUPLICATE_KEY')) {
    return { source: null, issues, secrets: [] };
  }
  const walk = applyTemplates(document, text, env, at);
  issues.push(...walk.issues);
  try {
    const source = sourceOf(file, document, lines, walk);
    return { source, issues, secrets: walk.secrets };
  } catch (error) {
    // The file has too many aliases.
    issues.push(at(0, '', errorMessage(error)));
    return { source: null, issues, secrets: walk.secrets };
  }
}

/** Formats a path as `a.b[0].c`; names with special characters are put in brackets. */
export function formatPath(path: Path): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      return /^[A-Za-z0-9_-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    })
    .join('')
    .replace(/^\./, '');
}

interface TemplateResult {
  readonly issues: ConfigIssue[];
  readonly secrets: string[];
  /** Templates, by the YAML scalar that contains them. */
  readonly templates: Map<unknown, Pick<Interpolated, 'isWhole' | 'variables'>>;
  readonly unresolved: Set<unknown>;
}

type IssueAt = (offset: number, path: string, message: string) => ConfigIssue;

/**
 * Replaces templates after the YAML is parsed, so that the value of a variable can never become structure. Removes
 * empty values, because they count as not written.
 */
function applyTemplates(
  document: Document,
  text: string,
  env: EnvironmentRecord,
  at: IssueAt,
): TemplateResult {
  const prepared: TemplateResult = { issues: [], secrets: [], templates: new Map(), unresolved: new Set() };

  const template = (node: Scalar, path: Path): void => {
    const result = interpolate(String(node.value), env);
    const offset = node.range?.[0] ?? 0;
    prepared.issues.push(...result.problems.map((problem) => at(offset, formatPath(path), problem)));
    prepared.secrets.push(...result.secrets);
    if (result.variables.length > 0) prepared.templates.set(node, result);
    if (result.problems.length > 0) prepared.unresolved.add(node);
    else node.value = result.text;
  };

  /** Returns the node that replaces `node`; `null` if the value is empty. */
  const visit = (node: unknown, path: Path): Node | null => {
    const unquoted = unquotedTemplate(node, text);
    if (unquoted !== null) return visit(unquoted, path);
    if (isScalar(node)) {
      const before = node.value;
      if (typeof before === 'string') template(node, path);
      const isEmpty =
        node.value === null || (node.value === '' && prepared.templates.get(node)?.isWhole === true);
      return isEmpty && node.anchor === undefined ? null : node;
    }
    if (isMap(node)) {
      node.items = node.items.filter((pair) => {
        const key = isScalar(pair.key) ? pair.key.value : null;
        if (key === null || key === '__proto__') {
          const offset = (pair.key as Node | null)?.range?.[0] ?? node.range?.[0] ?? 0;
          prepared.issues.push(at(offset, formatPath(path), 'a key must be plain text'));
          return false;
        }
        pair.value = visit(pair.value, [...path, String(key)]);
        return pair.value !== null;
      });
      return node;
    }
    if (isSeq(node)) {
      node.items = node.items
        // Keeps an empty list item, so that the schema reports the item.
        .map((item, index) => (isScalar(item) && item.value === null ? item : visit(item, [...path, index])))
        .filter((item) => item !== null);
      return node;
    }
    if (!isAlias(node)) return null;
    if (node.resolve(document) !== undefined) return node;
    const written = new Scalar(`*${node.source}`);
    const message = `${written.value} is an alias without an anchor before it; ${QUOTE_ASTERISK}`;
    prepared.issues.push(at(node.range?.[0] ?? 0, formatPath(path), message));
    prepared.unresolved.add(written);
    return written;
  };
  document.contents = visit(document.contents, []) as typeof document.contents;
  return prepared;
}

/** Returns the template meant by an unquoted `{{.VAR}}`, which YAML parses as nested mappings; else `null`. */
function unquotedTemplate(node: unknown, text: string): Scalar | null {
  if (!isMap(node) || node.flow !== true || !node.range) return null;
  const written = text.slice(node.range[0], node.range[1]);
  if (!isTemplate(written)) return null;
  const scalar = new Scalar(written);
  scalar.range = node.range;
  if (node.anchor !== undefined) scalar.anchor = node.anchor;
  return scalar;
}

function sourceOf(
  file: string,
  document: Document,
  lines: LineCounter,
  prepared: TemplateResult,
): SourceFile {
  const data: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  const issueAt = (node: Node | null, path: Path, message: string): ConfigIssue => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return { file, line, column: col, path: formatPath(path), message };
  };
  const valueAt = (path: Path): Node | null => {
    const { node, isComplete } = find(document, path);
    return isComplete ? followAlias(document, node) : null;
  };
  const source: SourceFile = {
    file,
    data,
    issue(path, message) {
      const found = find(document, path);
      return issueAt(found.isComplete ? found.node : (found.key ?? found.node), path, message);
    },
    issueAtKey(path, message) {
      const found = find(document, path);
      return issueAt(found.key ?? found.node, path, message);
    },
    position(path) {
      const { node, key, isComplete } = find(document, path);
      if (!isComplete || node === null) return null;
      const { line } = lines.linePos((key ?? node).range?.[0] ?? 0);
      return { line, variables: [...new Set(variablesIn(document, node, prepared))] };
    },
    isFromTemplate: (path) => prepared.templates.has(valueAt(path)),
    isUnresolved: (path) => prepared.unresolved.has(valueAt(path)),
    coerce(paths) {
      let changed = false;
      for (const path of paths) {
        const node = followAlias(document, find(document, path).node);
        if (!isScalar(node) || prepared.templates.get(node)?.isWhole !== true) continue;
        const value = scalarOf(node.value);
        changed ||= value !== node.value;
        node.value = value;
      }
      return changed ? sourceOf(file, document, lines, prepared) : source;
    },
  };
  return source;
}

function scalarOf(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

function followAlias<T extends Node | null>(document: Document, node: T): Node | T {
  return isAlias(node) ? (node.resolve(document) ?? node) : node;
}

function variablesIn(document: Document, node: Node, prepared: TemplateResult): string[] {
  const value = followAlias(document, node);
  if (isMap(value)) return value.items.flatMap((pair) => variablesIn(document, pair.value as Node, prepared));
  if (isSeq(value)) return value.items.flatMap((item) => variablesIn(document, item as Node, prepared));
  return [...(prepared.templates.get(value)?.variables ?? [])];
}

interface Found {
  /** The deepest node that exists on the path. */
  readonly node: Node | null;
  /** The key of `node`; `null` if it is a list entry or the root. */
  readonly key: Node | null;
  readonly isComplete: boolean;
}

function find(document: Document, path: Path): Found {
  let node: Node | null = document.contents;
  let key: Node | null = null;
  for (const part of path) {
    const parent: Node | null = followAlias(document, node);
    if (isMap(parent)) {
      const pair = parent.items.findLast(
        (item) => isScalar(item.key) && String(item.key.value) === String(part),
      );
      if (pair === undefined) return { node, key, isComplete: false };
      key = pair.key as Node;
      node = pair.value as Node | null;
    } else if (isSeq(parent) && typeof part === 'number' && part < parent.items.length) {
      key = null;
      node = parent.items[part] as Node | null;
    } else {
      return { node, key, isComplete: false };
    }
  }
  return { node, key, isComplete: true };
}

function yamlMessage(error: YAMLError, text: string): string {
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^[^:\n]*/.exec(text.slice(error.pos[0]))?.[0].trim() ?? '';
    return `duplicate key ${key}`;
  }
  if (error.code === 'MULTIPLE_DOCS') return 'the file must hold one YAML document only';
  const start = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const line = text.slice(start).split('\n', 1)[0] ?? '';
  const hints = [
    ...(/\balias\b/i.test(error.message) ? [QUOTE_ASTERISK] : []),
    ...(line.includes('{{') ? ['a value that begins with {{ and continues after }} needs quotes'] : []),
  ];
  const hint = hints.map((text) => `; ${text}`).join('');
  return `not valid YAML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}${hint}`;
}
