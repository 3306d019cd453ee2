import type { EnvironmentRecord } from './env.ts';

/** What became of a text with templates. */
export interface Interpolated {
  readonly text: string;
  /** The text was one template and nothing else, so its value may stand for a number or true/false. */
  readonly isWhole: boolean;
  /** Names of the variables in it; empty = the text has no template. */
  readonly variables: readonly string[];
  /** Values that came from variables whose names look secret. */
  readonly secrets: readonly string[];
  readonly problems: readonly string[];
}

const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;

/** `{{.VAR}}`, `{{.VAR | default "x"}}` or `{{"literal text"}}`. */
const TEMPLATE = String.raw`\{\{\s*(?:\.([A-Za-z_][A-Za-z0-9_]*)\s*(?:\|\s*default\s+${QUOTED}\s*)?|${QUOTED}\s*)\}\}`;
const ANY_TEMPLATE = new RegExp(TEMPLATE, 'gs');
const ONE_TEMPLATE = new RegExp(`^${TEMPLATE}$`, 's');

/** Looks like a template but is none. Other double braces, such as `{{ $labels.x }}`, are plain text. */
const MALFORMED = /\{\{\s*\.[^}\n]*(?:\}\})?/;

/** Whether the whole text is one template, as it may stand unquoted in YAML. */
export function isTemplate(text: string): boolean {
  return ONE_TEMPLATE.test(text);
}

/** Replaces the templates of one text. A variable that is set to nothing counts as not set. */
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

/** Whether a variable of this name most likely holds a secret. Rather too often than too seldom. */
export function looksSecret(name: string): boolean {
  return /TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|KEY|DSN|DATABASE_URL/i.test(name);
}

function unescapeQuoted(quoted: string): string {
  return quoted.replace(/\\(.)/gsu, '$1');
}
