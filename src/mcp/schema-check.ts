import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { oncePer } from '../common/once-per.ts';
import { withinTime } from '../common/time-limit.ts';

/** Problems told at once: a model mends a few at a time. */
const MAX_PROBLEMS = 8;
/** Of a list of values that are allowed. */
const MAX_VALUES_CHARACTERS = 300;
const OPTIONS = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  validateSchema: false,
  verbose: true,
  logger: false,
} as const;
/** Values, not schemas: copied as they are. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);
/** Keywords whose value names schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

/** How a schema is checked; null: it is of no use. */
interface Check {
  validator: ValidateFunction | null;
}

/** By the schema as JSON: compiling one costs more than all else of a call, and each session lists them anew. */
const checks = new Map<string, Check>();
const MAX_KEPT = 500;
/** Longest that a schema is compiled, or a value checked (ms): no sane one takes a tenth of it, and all else waits. */
const LIMIT_MS = 1000;

/**
 * Tells what is wrong with a call's arguments, or with a structured answer, by the tool's schema, in lines for the model; null when
 * nothing is. A schema that is of no use, such as one that refers to others, or that takes too long, lets everything through.
 */
export function schemaProblems(schema: object, value: unknown): string | null {
  const check = checkOf(schema);
  const { validator } = check;
  if (validator === null) return null;
  const problems = withinTime(LIMIT_MS, () => problemsOf(validator, value));
  // What took too long once is not begun again.
  if (problems === null) check.validator = null;
  return problems || null;
}

/** Empty: none. */
function problemsOf(validator: ValidateFunction, value: unknown): string {
  if (fits(validator, value)) return '';
  // Models write null for what they leave out, and many servers take it as that.
  const errors = (validator.errors ?? []).filter(({ data }) => data !== null);
  const problems = [...new Set(errors.map(describe))];
  const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
  return [...problems.slice(0, MAX_PROBLEMS), ...more].map((problem) => `- ${problem}`).join('\n');
}

function fits(validator: ValidateFunction, value: unknown): boolean {
  try {
    return validator(value);
  } catch {
    return true; // it leads to itself without end, or the value is nested too deeply
  }
}

/** A schema is looked at for each call of its tool, twice. */
const checkOf = oncePer((schema: object): Check => {
  const text = JSON.stringify(schema);
  const known = checks.get(text);
  if (known !== undefined) return known;
  const check = { validator: withinTime(LIMIT_MS, () => compile(schema)) };
  const [oldest] = checks.keys();
  if (oldest !== undefined && checks.size >= MAX_KEPT) checks.delete(oldest);
  checks.set(text, check);
  return check;
});

function compile(schema: object): ValidateFunction | null {
  const { $schema: dialect, $id: _, ...rest } = withoutPatterns(schema, false) as Record<string, unknown>;
  const isOld = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect);
  try {
    return (isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)).compile(rest);
  } catch {
    return null;
  }
}

/** A schema without regular expressions, which could take forever, and without what makes its check asynchronous. */
function withoutPatterns(node: unknown, isMap: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutPatterns(item, false));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node);
  if (isMap) return Object.fromEntries(entries.map(([name, value]) => [name, withoutPatterns(value, false)]));
  const dropped = new Set(['pattern', '$async']);
  // What fits a pattern is no additional property.
  if ('patternProperties' in node)
    for (const key of ['patternProperties', 'additionalProperties', 'unevaluatedProperties'])
      dropped.add(key);
  return Object.fromEntries(
    entries
      .filter(([key]) => !dropped.has(key))
      .map(([key, value]) => [key, DATA.has(key) ? value : withoutPatterns(value, MAPS.has(key))]),
  );
}

/** "limit must be integer"; says which names and values there are where ajv does not. */
function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const inside = path === '' ? '' : ` in ${path}`;
  switch (keyword) {
    case 'required':
      return `${params.missingProperty} is missing${inside}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${params.additionalProperty ?? params.unevaluatedProperty} is not known${inside}`;
    case 'enum':
      return `${path} must be one of ${JSON.stringify(params.allowedValues).slice(0, MAX_VALUES_CHARACTERS)}`;
    case 'const':
      return `${path} must be ${JSON.stringify(params.allowedValue).slice(0, MAX_VALUES_CHARACTERS)}`;
    default:
      return `${path === '' ? 'the whole' : path} ${message ?? 'is not valid'}`;
  }
}
