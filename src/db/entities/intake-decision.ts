import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { INTAKE_OUTCOMES } from '../enums.ts';
import { Alert } from './alert.ts';
import { AlertGroup } from './alert-group.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment } from './columns.ts';
import { Silence } from './silence.ts';

/** The decision about one alert of one delivery, and the reason. */
export const IntakeDecision = defineEntity({
  name: 'IntakeDecision',
  tableName: 'intake_decisions',
  properties: {
    id: id(),
    at: createdAt(),
    source: p.text(),
    outcome: p.enum([...INTAKE_OUTCOMES]),
    reason: p.text(),
    rule: p.text().nullable(),
    alertId: () => p.manyToOne(Alert).mapToPk().fieldName('alert_id').deleteRule('cascade').nullable(),
    groupId: () => p.manyToOne(AlertGroup).mapToPk().fieldName('group_id').deleteRule('cascade').nullable(),
    sessionId: () =>
      p.manyToOne(AlertSession).mapToPk().fieldName('session_id').deleteRule('set null').nullable(),
    silenceId: () => p.manyToOne(Silence).mapToPk().fieldName('silence_id').deleteRule('set null').nullable(),
    // refused deliveries are counted per minute, so that a misbehaving sender cannot fill the disk
    code: p.text().nullable(),
    minute: moment().nullable(),
    count: p.integer().default(1),
  },
  indexes: [
    { name: 'intake_decisions_page', properties: ['at', 'id'] },
    { name: 'intake_decisions_group', properties: ['groupId', 'at', 'id'] },
    {
      name: 'intake_decisions_alert',
      expression: `create index "intake_decisions_alert" on "intake_decisions" ("alert_id") where "alert_id" is not null`,
    },
    {
      name: 'intake_decisions_session',
      expression: `create index "intake_decisions_session" on "intake_decisions" ("session_id") where "session_id" is not null`,
    },
    {
      name: 'intake_decisions_silence',
      expression: `create index "intake_decisions_silence" on "intake_decisions" ("silence_id") where "silence_id" is not null`,
    },
    {
      name: 'intake_decisions_rejected',
      expression: `create unique index "intake_decisions_rejected" on "intake_decisions" ("source", "code", "minute") where "code" is not null`,
    },
  ],
});
export type IntakeDecisionRow = InferEntity<typeof IntakeDecision>;
