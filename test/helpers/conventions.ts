import { readFileSync } from 'node:fs';
import { attributesOf, type SentSpan } from './trace-collector.ts';

interface Registry {
  attributes: Record<string, { type: string; enum?: string[] }>;
}

const FILE = new URL('../fixtures/opentelemetry/attributes.json', import.meta.url);
const { attributes } = JSON.parse(readFileSync(FILE, 'utf8')) as Registry;

const CHECKS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  int: Number.isInteger,
  double: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  'string[]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  any: (value) => typeof value === 'string', // structured values are JSON on spans
};

/**
 * Returns how spans differ from the semantic conventions of OpenTelemetry: an unknown attribute outside of `tarsy.`, a
 * wrong type, or a value that a closed list lacks.
 */
export function conventionProblems(spans: readonly SentSpan[]): string[] {
  return spans.flatMap((span) =>
    Object.entries(attributesOf(span)).flatMap(([name, value]) => {
      if (name.startsWith('tarsy.')) return [];
      const known = attributes[name];
      const where = `${span.name}: ${name}`;
      if (!known) return [`${where} is in no convention`];
      if (!CHECKS[known.type]!(value)) return [`${where} is no ${known.type}: ${JSON.stringify(value)}`];
      const isListed = known.enum?.includes(String(value)) ?? true;
      return isListed ? [] : [`${where} has the unlisted value ${JSON.stringify(value)}`];
    }),
  );
}
