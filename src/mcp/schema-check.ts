import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { oncePer } from '../common/once-per.ts';
import { runWithTimeout } from '../common/time-limit.ts';

/** Maximum number of listed problems, because a model fixes a few at a time. */
const MAX_PROBLEMS = 8;
const MAX_VALUES_CHARACTERS = 300;
const OPTIONS = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  validateSchema: false,
  verbose: true,
  logger: false,
} as const;
/** Schema keywords whose value is data instead of a schema; such values are copied unchanged. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);
/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

interface Check {
  validator: ValidateFunction | null;
  /** Length of the schema as JSON if its checks visit a value once per keyword; `null` if they may repeat themselves. */
  length: number | null;
}

/** Keywords of schemas that contain themselves, and of checks that compare all items with each other. */
const REPEATING = /"(\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)"/;
/** Maximum product of both lengths, of a schema and a value, for a check without a time limit. Takes milliseconds. */
const MAX_QUICK_PRODUCT = 10_000_000;

/** Compiled checks by schema as JSON, because compiling is slow and each session lists equal schemas as new objects. */
const checks = new Map<string, Check>();
const MAX_CHECKS = 500;
/** Time limit of compiling a schema or checking a value (ms), because both block the process. Most take under 100. */
const LIMIT_MS = 1000;

/**
 * Checks a call's arguments or a structured answer. An unusable schema, and one that takes too long, accept everything.
 * @returns the problems as lines for the model; `null` if there are none
 */
export function schemaProblems(schema: object, value: unknown): string | null {
  const check = checkOf(schema);
  const { validator } = check;
  if (validator === null) return null;
  const work = () => problemsOf(validator, value);
  const problems = isQuick(check, value) ? work() : runWithTimeout(LIMIT_MS, work);
  if (problems === null) check.validator = null;
  return problems || null;
}

/** True if a check needs no time limit. The start of a time limit takes half a millisecond. */
function isQuick({ length }: Check, value: unknown): boolean {
  try {
    return length !== null && length * JSON.stringify(value).length <= MAX_QUICK_PRODUCT;
  } catch {
    return false; // the value is nested too deeply, or is undefined
  }
}

function problemsOf(validator: ValidateFunction, value: unknown): string {
  try {
    if (validator(value)) return '';
  } catch {
    return ''; // accepts the value: the schema recurses endlessly, or the value is nested too deeply
  }
  // Ignores problems with null, because models write null for omitted arguments and many servers accept it.
  const errors = (validator.errors ?? []).filter(({ data }) => data !== null);
  const problems = [...new Set(errors.map(describe))];
  const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
  return [...problems.slice(0, MAX_PROBLEMS), ...more].map((problem) => `- ${problem}`).join('\n');
}

/** Returns the check of a schema object. Cached per object, because each call needs it twice. */
const checkOf = oncePer((schema: object): Check => {
  const text = JSON.stringify(schema);
  const known = checks.get(text);
  if (known !== undefined) return known;
  const check = {
    validator: runWithTimeout(LIMIT_MS, () => compile(schema)),
    length: REPEATING.test(text) ? null : text.length,
  };
  const [oldest] = checks.keys();
  if (oldest !== undefined && checks.size >= MAX_CHECKS) checks.delete(oldest);
  checks.set(text, check);
  return check;
});

const require = createRequire(import.meta.url);

function compile(schema: object): ValidateFunction | null {
  const { $schema: dialect, $id: _, ...rest } = relaxed(schema, false) as Record<string, unknown>;
  const isOld = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect);
  // Loaded by the first call, because an API process makes none and ajv has 86 modules.
  const Validator: typeof Ajv = isOld ? require('ajv').Ajv : require('ajv/dist/2020.js').Ajv2020;
  try {
    return new Validator(OPTIONS).compile(rest);
  } catch {
    return null;
  }
}

/**
 * Removes regular expressions, because they may never end, and the keyword that makes checks asynchronous. A property
 * with a default may be missing, because servers fill it in although their libraries list it as required.
 */
function relaxed(node: unknown, isMap: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => relaxed(item, false));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node);
  if (isMap) return Object.fromEntries(entries.map(([name, value]) => [name, relaxed(value, false)]));
  const dropped = new Set(['pattern', '$async']);
  // Without `patternProperties`, the properties that it allowed would count as additional. The rules about additional
  // properties are therefore dropped too.
  if ('patternProperties' in node)
    for (const key of ['patternProperties', 'additionalProperties', 'unevaluatedProperties'])
      dropped.add(key);
  return Object.fromEntries(
    entries
      .filter(([key]) => !dropped.has(key))
      .map(([key, value]) => {
        if (DATA.has(key)) return [key, value];
        const inner = relaxed(value, MAPS.has(key));
        const isRequired = key === 'required' && Array.isArray(inner);
        return [key, isRequired ? inner.filter((name) => !hasDefault(node, name)) : inner];
      }),
  );
}

function hasDefault(schema: object, name: unknown): boolean {
  const { properties } = schema as { properties?: Record<string, unknown> };
  const property = properties?.[String(name)];
  return typeof property === 'object' && property !== null && 'default' in property;
}

/** Describes a problem, such as "limit must be integer". Adds names and values that ajv's message leaves out. */
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
