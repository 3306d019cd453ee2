import { join } from 'node:path';
import { z } from 'zod';
import { caseFile } from '../../src/cases/document.ts';
import { providersSchema, tarsySchema } from '../../src/config/schema.ts';
import { ROOT } from './dev-python.ts';

const CONFIG_DIR = join(ROOT, 'deploy/config');
const LINE_WIDTH = 110;

/** A generated file with the content that it must have. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the JSON Schemas of both configuration files for editors, made from the loader's schemas. */
export function renderSchemas(): GeneratedFile[] {
  return [
    { path: join(CONFIG_DIR, 'tarsy.schema.json'), text: render(tarsySchema, 'tarsy.yaml') },
    {
      path: join(CONFIG_DIR, 'llm-providers.schema.json'),
      text: render(providersSchema, 'llm-providers.yaml'),
    },
  ];
}

/** Returns the JSON Schema of the file `case.yaml`. Templates are not replaced there, so that none is allowed. */
export function renderCaseSchema(): GeneratedFile {
  const { $schema, ...rest } = plainSchema(caseFile);
  const text = print({ $schema: $schema ?? null, title: 'TARSy case.yaml', ...rest }, '');
  return { path: join(CONFIG_DIR, 'case.schema.json'), text: `${text}\n` };
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Returns the JSON Schema of a file's values after their templates are replaced. Editors support draft 7 best. */
export function plainSchema(schema: z.ZodType): { [key: string]: Json } {
  const plain = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return JSON.parse(JSON.stringify(plain)) as { [key: string]: Json };
}

function render(schema: z.ZodType, title: string): string {
  const { $schema, ...rest } = editorSchema(plainSchema(schema)) as { [key: string]: Json };
  return `${print({ $schema: $schema ?? null, title: `TARSy ${title}`, ...rest }, '')}\n`;
}

/** Allows a template such as `{{.NAME}}` for every scalar whose schema would refuse that text. */
function editorSchema(json: Json): Json {
  if (Array.isArray(json)) return json.map(editorSchema);
  if (typeof json !== 'object' || json === null) return json;
  const inner = Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, key === 'propertyNames' ? value : editorSchema(value)]),
  );
  const isScalar = typeof inner.type === 'string' && /^(?:string|integer|number|boolean)$/.test(inner.type);
  const isPlainText = inner.type === 'string' && inner.pattern === undefined && inner.enum === undefined;
  if (!isScalar || isPlainText || inner.const !== undefined) return inner;
  const { description, default: fallback, ...rest } = inner;
  return {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    anyOf: [rest, { type: 'string', pattern: '\\{\\{' }],
  };
}

/**
 * Formats JSON as the project's formatter does: lists of scalars on one line if they fit.
 * @param before number of characters before the value on its line, without the indentation
 */
function print(json: Json, indent: string, before = 0): string {
  const inner = `${indent}  `;
  if (Array.isArray(json)) {
    const oneLine = `[${json.map((item) => JSON.stringify(item)).join(', ')}]`;
    const isPlain = json.every((item) => typeof item !== 'object' || item === null);
    if (isPlain && indent.length + before + oneLine.length < LINE_WIDTH) return oneLine;
    return `[\n${json.map((item) => inner + print(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const entries = Object.entries(json);
  if (entries.length === 0) return '{}';
  const lines = entries.map(([key, value]) => {
    const name = `${JSON.stringify(key)}: `;
    return `${inner}${name}${print(value, inner, name.length)}`;
  });
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
