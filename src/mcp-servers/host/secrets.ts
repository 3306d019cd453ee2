const MASK = '***';

/** Words and word pairs that make a name a secret's: `--db-password`, `GITHUB_TOKEN`, `apiKey`. */
const SECRET_WORDS = new Set(
  'password passwd passphrase pass pwd secret secrets token apikey credential credentials authorization bearer cookie dsn pat'.split(
    ' ',
  ),
);
const SECRET_PAIRS = new Set(
  ['api', 'access', 'private', 'secret', 'signing', 'encryption', 'account', 'auth'].map(
    (word) => `${word} key`,
  ),
);
/** Names written without a separator: PGPASSWORD, dbpasswd. */
const SECRET_ENDING = /(?:password|passwd|secret|token|apikey)$/;
/** Where a secret is, not what it is. */
const LOCATION_WORDS = new Set([
  'file',
  'path',
  'dir',
  'name',
  'url',
  'uri',
  'ttl',
  'timeout',
  'length',
  'type',
  'mode',
]);

/** Values whose shape alone gives them away, wherever they stand. */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@/]+@/gi, `$1:${MASK}@`],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${MASK}`],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|hf_|npm_)[A-Za-z0-9_-]{8,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g, MASK],
];

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  if (LOCATION_WORDS.has(last)) return false;
  if (last === 'auth') return true;
  return words.some(
    (word, index) =>
      SECRET_WORDS.has(word) ||
      SECRET_ENDING.test(word) ||
      SECRET_PAIRS.has(`${word} ${words[index + 1] ?? ''}`),
  );
}

function maskAssignment(argument: string): string {
  const match = /^([-\w.]+)([=:])(.+)$/s.exec(argument);
  if (!match) return argument;
  const [, name = '', sign = ''] = match;
  return isSecretName(name) ? `${name}${sign}${MASK}` : argument;
}

function maskShapes(text: string): string {
  return SECRET_SHAPES.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/** Pairs inside one argument, as in `-Ddb.password=x`, `host=db password=x`, a query string or JSON. */
function maskInnerPairs(argument: string): string {
  return argument
    .replace(
      /"([-\w.]+)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s,{}[\]"]+)/g,
      (pair, name: string, colon: string) => (isSecretName(name) ? `"${name}"${colon}"${MASK}"` : pair),
    )
    .replace(/([A-Za-z][-\w.]*)=([^\s&;,]+)/g, (pair, name: string) =>
      isSecretName(name) ? `${name}=${MASK}` : pair,
    );
}

/**
 * A process's arguments as one line with the values of what looks like a password, token or key replaced by `***`.
 * Command lines are readable by every user of a machine, but what a tool returns goes to a model and into a database.
 */
export function maskCommandLine(commandLine: readonly string[]): string {
  // A process that sets its own title leaves one string with spaces in it.
  const args = commandLine.length === 1 ? (commandLine[0] ?? '').split(' ') : commandLine;
  const isMysql = /(?:^|\/)(?:mysql|mariadb)[a-z-]*$/.test(args[0] ?? '');
  let maskNext = false;
  const masked = args.map((argument, index) => {
    if (maskNext && !argument.startsWith('--')) {
      maskNext = false;
      return MASK;
    }
    maskNext =
      index > 0 && /^--?[A-Za-z]/.test(argument) && !argument.includes('=') && isSecretName(argument);
    if (isMysql && /^-p./.test(argument)) return `-p${MASK}`;
    return maskShapes(maskInnerPairs(maskAssignment(argument)));
  });
  return masked.join(' ');
}
