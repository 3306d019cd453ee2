import { z } from 'zod';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import type { SessionOrderField } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import { isUuid } from '../../schema/ids.ts';

/** One sort column: SQL expression, SQL type, and value in a row. */
interface KeyPart {
  sql: string;
  type: string;
  value(session: SessionSnapshot): unknown;
  schema: z.ZodType;
}

const text = z.string().refine((value) => !value.includes('\0'));
const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .transform((value) => new Date(value))
  .refine((date) => !Number.isNaN(date.getTime()));

const column = (name: 'status' | 'alertType' | 'author', sql: string): KeyPart => ({
  sql,
  type: 'text',
  value: (session) => session[name],
  schema: text,
});
const createdAt: KeyPart = {
  ...{ sql: 't.created_at', type: 'timestamptz', schema: moment },
  value: (session) => session.createdAt,
};
const id: KeyPart = {
  ...{ sql: 't.id', type: 'uuid', schema: z.string().refine(isUuid) },
  value: (session) => session.id,
};
const duration: KeyPart = {
  // Unfinished sessions sort as shorter than finished ones.
  sql: 'coalesce((extract(epoch from t.completed_at - t.started_at) * 1000)::bigint, -1)',
  type: 'bigint',
  value: ({ startedAt, completedAt }) =>
    startedAt && completedAt ? completedAt.getTime() - startedAt.getTime() : -1,
  schema: z.int(),
};

/** Sort columns of each order. Creation time and id break ties, so that pages are exact. */
export const SORT_KEYS: Record<SessionOrderField, KeyPart[]> = {
  CREATED_AT: [createdAt, id],
  STATUS: [column('status', 't.status'), createdAt, id],
  ALERT_TYPE: [column('alertType', 't.alert_type'), createdAt, id],
  AUTHOR: [column('author', 't.author'), createdAt, id],
  DURATION: [duration, createdAt, id],
};

export type SortKey = unknown[];

export function sortKeyOf(field: SessionOrderField, session: SessionSnapshot): SortKey {
  return SORT_KEYS[field].map((part) => part.value(session));
}

export function encodeCursor(field: SessionOrderField, key: SortKey): string {
  return Buffer.from(JSON.stringify(['v1', field, ...key])).toString('base64url');
}

/** @throws BAD_USER_INPUT if the text is not a cursor of this order */
export function decodeCursor(field: SessionOrderField, cursor: string, argument: string): SortKey {
  const parts = SORT_KEYS[field].map((part) => part.schema);
  const schema = z.tuple([z.literal('v1'), z.literal(field), ...parts]);
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success)
    throw badUserInput(
      `The cursor given as \`${argument}\` is none that this list, in this order, gave out.`,
    );
  return parsed.data.slice(2);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
