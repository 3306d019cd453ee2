import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, moment } from './columns.ts';

/** The configuration of a running worker, without secrets; deleted when the worker stops. */
export const RunningConfiguration = defineEntity({
  name: 'RunningConfiguration',
  tableName: 'running_configurations',
  properties: {
    process: p.text().primary(), // host and process id
    version: p.text(),
    startedAt: createdAt(),
    seenAt: moment().defaultRaw('now()'),
    described: p.json<unknown>(), // values by key path; null = set, but hidden
  },
});
export type RunningConfigurationRow = InferEntity<typeof RunningConfiguration>;
