import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { EnvironmentRecord } from './env.ts';
import { valuesAt } from './references.ts';
import { formatPath, type Path, type SourceFile } from './source-file.ts';

/** Keys with texts for people, models or expressions, and headers in which the LLM service replaces `${NAME}` itself. */
const FREE_TEXT = new Set([
  ...['description', 'instructions', 'custom_instructions', 'runbook', 'custom_patterns', 'headers'],
]);
/** Programs that replace `${NAME}` in their arguments themselves. */
const SHELLS = new Set(['sh', 'ash', 'bash', 'dash', 'ksh', 'zsh']);
/** Matches `${NAME}` and forms with a default, which may be a secret. */
const SHELL_VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)[^}]*\}/;

/** Returns a warning for each value of a valid file that looks like a form of another program, and has no effect here. */
export function suspiciousValues(source: SourceFile, env: EnvironmentRecord): string[] {
  return [...shellVariables(source, env), ...commandLines(source)];
}

function shellVariables(source: SourceFile, env: EnvironmentRecord): string[] {
  return textsIn(source.data, []).flatMap(({ path, text }) => {
    const name = SHELL_VARIABLE.exec(text)?.[1];
    if (name === undefined || source.isFromTemplate(path) || isReplacedElsewhere(source, path)) return [];
    const unset = env[name] ? '' : `, and set the variable ${name}`;
    return [
      `${formatPath(path)} contains \${${name}}, which is not replaced; write "{{.${name}}}" instead${unset}`,
    ];
  });
}

function isReplacedElsewhere(source: SourceFile, path: Path): boolean {
  if (path.some((part) => FREE_TEXT.has(String(part)))) return true;
  if (path.at(-2) !== 'args') return false;
  const [command] = valuesAt(source.data, [...path.slice(0, -2), 'command'].join('.'));
  return SHELLS.has(basename(String(command?.value)));
}

function commandLines(source: SourceFile): string[] {
  return valuesAt(source.data, 'mcp_servers.*.transport.command').flatMap(({ path, value }) => {
    const [program, ...more] = String(value).trim().split(/\s+/);
    if (more.length === 0 || source.isFromTemplate(path) || existsSync(String(value))) return [];
    // The other words are not repeated, because one may be a secret.
    return [
      `${formatPath(path)} is a whole command line; write command: ${program}, and the other ${more.length} words as a list in args`,
    ];
  });
}

/** Returns all texts in the data of a file. */
function textsIn(value: unknown, path: Path): { path: Path; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]));
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key]));
}
