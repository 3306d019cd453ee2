import { z } from 'zod';
import { storable } from '../common/storable.ts';
import { truncate } from '../common/truncate.ts';
import type { ToolAnnotations } from './tool-class.ts';
import type { ToolDefinition } from './types.ts';

/** A tool's description goes into every prompt. */
const MAX_DESCRIPTION_CHARACTERS = 4_000;
/** A schema goes into every prompt too; the largest of common servers are below 10 kB. */
const MAX_SCHEMA_CHARACTERS = 32_000;
const MAX_SCHEMA_DEPTH = 32;

/** No name of this length can be offered, but it can be told of. */
const MAX_NAME_CHARACTERS = 200;

const hint = z.boolean().nullable().catch(null).default(null);
const NO_HINTS = { readOnlyHint: null, destructiveHint: null, idempotentHint: null, openWorldHint: null };

const rawTool = z.looseObject({
  name: z.string().transform((name) => storable(name.slice(0, MAX_NAME_CHARACTERS))),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint })
    .catch(NO_HINTS)
    .default(NO_HINTS),
  execution: z.looseObject({ taskSupport: z.unknown() }).optional().catch(undefined),
});

/** A tool as its server lists it. */
export interface ListedTool
  extends Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'outputSchema'> {
  annotations: ToolAnnotations;
  /** It can be called as a background task only, which this client does not do. */
  taskOnly: boolean;
}

/** Reads what a server lists, bounded in size; its name is the server's own, unchecked. Null when it has none. */
export function readListedTool(raw: unknown): ListedTool | null {
  const parsed = rawTool.safeParse(raw);
  if (!parsed.success) return null;
  const { name, description, inputSchema, outputSchema, annotations, execution } = parsed.data;
  return {
    name,
    description: truncate(storable(description ?? ''), MAX_DESCRIPTION_CHARACTERS),
    inputSchema: boundedSchema(inputSchema) ?? { type: 'object', properties: {} },
    outputSchema: boundedSchema(outputSchema),
    annotations: {
      readOnly: annotations.readOnlyHint,
      destructive: annotations.destructiveHint,
      idempotent: annotations.idempotentHint,
      openWorld: annotations.openWorldHint,
    },
    taskOnly: execution?.taskSupport === 'required',
  };
}

/** The schema when it is one of an object and of sensible size, else null. */
function boundedSchema(schema: unknown): Record<string, unknown> | null {
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object')
    return null;
  if (!isShallow(schema, MAX_SCHEMA_DEPTH)) return null;
  return JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS ? { ...schema } : null;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}
