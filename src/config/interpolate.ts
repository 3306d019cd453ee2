import type { EnvironmentRecord } from './env.ts';

export interface Interpolated {
  readonly text: string;
  /** True if the text is one template and nothing else. The value may then be meant as a number or boolean. */
  readonly isWhole: boolean;
  /** Names of the variables in the templates. */
  readonly variables: readonly string[];
  /** Values of the variables whose names look secret. */
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

export function isTemplate(text: string): boolean {
  return ONE_TEMPLATE.test(text);
}

/** Replaces the templates in a text. An empty variable counts as not set. */
export function interpolate(source: string, env: EnvironmentRecord): Interpolated {
  const variables: string[] = [];
  const secrets: string[] = [];
  const problems: string[] = [];
  const variable = (name: string, fallback: string | undefined): string => {
    variables.push(name);
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value) {
      if (looksSecret(name)) secrets.push(value);
      return value;
    }
    if (fallback === undefined) problems.push(`environment variable ${name} is not set`);
    return unescapeQuoted(fallback ?? '');
  };
  const plain = (between: string): string => {
    const bad = MALFORMED.exec(between);
    if (bad) problems.push(`"${bad[0]}" is not a template; write {{.NAME}} or {{.NAME | default "x"}}`);
    return between;
  };
  let text = '';
  let end = 0;
  for (const match of source.matchAll(ANY_TEMPLATE)) {
    const [template, name, fallback, literal = ''] = match;
    text += plain(source.slice(end, match.index));
    text += name === undefined ? unescapeQuoted(literal) : variable(name, fallback);
    end = match.index + template.length;
  }
  text += plain(source.slice(end));
  return { text, isWhole: variables.length === 1 && isTemplate(source), variables, secrets, problems };
}

/** True if a variable of this name may hold a secret; prefers false positives. */
export function looksSecret(name: string): boolean {
  return /TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|KEY|DSN|DATABASE_URL/i.test(name);
}

function unescapeQuoted(quoted: string): string {
  return quoted.replace(/\\(.)/gsu, '$1');
}
