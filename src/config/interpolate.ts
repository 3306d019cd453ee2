import type { EnvironmentRecord } from './env.ts';

/** The result of replacing the templates in a text. */
export interface Interpolated {
  readonly text: string;
  /** True if the text was exactly one template; its value may then stand for a number or a boolean. */
  readonly isWhole: boolean;
  /** Names of the variables in the text; empty if the text has none. */
  readonly variables: readonly string[];
  /** Values of variables whose names look secret. */
  readonly secrets: readonly string[];
  readonly problems: readonly string[];
}

const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;

/** Matches `{{.VAR}}`, `{{.VAR | default "x"}}` or `{{"literal text"}}`. */
const TEMPLATE = String.raw`\{\{\s*(?:\.([A-Za-z_][A-Za-z0-9_]*)\s*(?:\|\s*default\s+${QUOTED}\s*)?|${QUOTED}\s*)\}\}`;
const ANY_TEMPLATE = new RegExp(TEMPLATE, 'gs');
const ONE_TEMPLATE = new RegExp(`^${TEMPLATE}$`, 's');

/** Matches a malformed template. Other double braces, such as `{{ $labels.x }}`, are plain text. */
const MALFORMED = /\{\{\s*\.[^}\n]*(?:\}\})?/;

/** True if the whole text is one template. */
export function isTemplate(text: string): boolean {
  return ONE_TEMPLATE.test(text);
}

/** Replaces the templates in a text. An empty variable counts as not set. */
export function interpolate(source: string, env: EnvironmentRecord): Interpolated {
  const variables: string[] = [];
  const secrets: string[] = [];
  const problems: string[] = [];
  let end = 0;
  const checkBetween = (until: number) => {
    const bad = MALFORMED.exec(source.slice(end, until));
    if (bad !== null) {
      problems.push(`"${bad[0]}" is not a template; write {{.NAME}} or {{.NAME | default "x"}}`);
    }
  };
  const text = source.replace(
    ANY_TEMPLATE,
    (
      match,
      name: string | undefined,
      fallback: string | undefined,
      literal: string | undefined,
      at: number,
    ) => {
      checkBetween(at);
      end = at + match.length;
      if (name === undefined) return unescapeQuoted(literal ?? '');
      variables.push(name);
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value !== undefined && value !== '') {
        if (looksSecret(name)) secrets.push(value);
        return value;
      }
      if (fallback === undefined) problems.push(`environment variable ${name} is not set`);
      return unescapeQuoted(fallback ?? '');
    },
  );
  checkBetween(source.length);
  return { text, isWhole: variables.length === 1 && isTemplate(source), variables, secrets, problems };
}

/** True if a variable of this name may hold a secret; prefers false positives. */
export function looksSecret(name: string): boolean {
  return /TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|KEY|DSN|DATABASE_URL/i.test(name);
}

function unescapeQuoted(quoted: string): string {
  return quoted.replace(/\\(.)/gsu, '$1');
}
