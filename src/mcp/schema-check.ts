import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { oncePer } from '../once-per.ts';

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

/** Schemas, as JSON, that are kept compiled: compiling one costs more than all else of a call, and each session lists them anew. */
const validators = new Map<string, ValidateFunction | null>();
const MAX_KEPT = 500;

/**
 * Tells what is wrong with a call's arguments, or with a structured answer, by the tool's schema, in lines for the model; null when
 * nothing is. A schema that is of no use, such as one that refers to others, lets everything through.
 */
export function schemaProblems(schema: object, value: unknown): string | null {
  const validator = validatorOf(schema);
  if (validator === null || validator(value)) return null;
  // Models write null for what they leave out, and many servers take it as that.
  const errors = (validator.errors ?? []).filter(({ data }) => data !== null);
  const problems = [...new Set(errors.map(describe))];
  if (problems.length === 0) return null;
  const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
  return [...problems.slice(0, MAX_PROBLEMS), ...more].map((problem) => `- ${problem}`).join('\n');
}

/** A schema is looked at for each call of its tool, twice. */
const validatorOf = oncePer((schema: object): ValidateFunction | null => {
  const text = JSON.stringify(schema);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const validator = compile(schema);
  const [oldest] = validators.keys();
  if (oldest !== undefined && validators.size >= MAX_KEPT) validators.delete(oldest);
  validators.set(text, validator);
  return validator;
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

/** A schema without regular expressions: a server's could take forever. */
function withoutPatterns(node: unknown, isMap: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutPatterns(item, false));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node);
  if (isMap) return Object.fromEntries(entries.map(([name, value]) => [name, withoutPatterns(value, false)]));
  const dropped = new Set(['pattern']);
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
