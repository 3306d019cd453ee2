import type { ObjectFieldBuilder } from '@pothos/core';
import type { builder } from '../builder.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
interface Timed {
  startedAt?: Date | null | undefined;
  completedAt?: Date | null | undefined;
}

/** The field `durationMs`: time from start to end; a client counts the time of what still runs from startedAt. */
export function durationMs<Parent extends Timed>(t: ObjectFieldBuilder<Types, Parent>) {
  return t.int({
    nullable: true,
    description:
      'Milliseconds from startedAt to completedAt; null until then, so that a stored answer never goes stale.',
    resolve: ({ startedAt, completedAt }) =>
      // An Int ends at 2^31-1 ms, 24 days: a longer duration is shown as that.
      startedAt && completedAt ? Math.min(completedAt.getTime() - startedAt.getTime(), 2 ** 31 - 1) : null,
  });
}
