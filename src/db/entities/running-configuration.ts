import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, moment } from './columns.ts';

/** What a process that runs investigations was started with, as far as it may be shown; gone when it stops. */
export const RunningConfiguration = defineEntity({
  name: 'RunningConfiguration',
  tableName: 'running_configurations',
  properties: {
    process: p.text().primary(), // host and process id
    version: p.text(),
    startedAt: createdAt(),
    seenAt: moment().defaultRaw('now()'),
    described: p.json<unknown>(), // by path; null = hidden
  },
});
export type RunningConfigurationRow = InferEntity<typeof RunningConfiguration>;
