import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ParallelType, SuccessPolicy } from '../../config/enums.ts';
import type { StageStatus, StageType } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, moment, oneOf, reference } from './columns.ts';

/** One step of a session's chain; `index` is 1-based and counts synthesis stages. */
export const Stage = defineEntity({
  name: 'Stage',
  tableName: 'stages',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    name: p.text(),
    index: p.integer(),
    type: oneOf<StageType>(),
    status: oneOf<StageStatus>().default('PENDING'),
    parallelType: oneOf<ParallelType>().nullable(),
    successPolicy: oneOf<SuccessPolicy>().nullable(),
    expectedAgentCount: p.integer().default(1),
    referencedStageId: p.uuid().nullable(),
    chatMessageId: p.uuid().nullable(), // CHAT stages: the answered question
    attempt: p.integer().default(0), // CHAT stages: number of claims by workers
    workersLost: p.integer().default(0), // CHAT stages: number of workers that were lost while they answered
    cancelRequestedAt: moment().nullable(), // CHAT stages: when cancellation was requested
    errorMessage: p.text().nullable(),
    createdAt: createdAt(),
    startedAt: moment().nullable(),
    completedAt: moment().nullable(),
  },
  uniques: [{ name: 'stages_session_index', properties: ['sessionId', 'index'] }],
  indexes: [
    { name: 'stages_chat_message', properties: ['chatMessageId'] },
    // finds sessions with an unanswered question, because their timeline still grows after the session's end
    {
      name: 'stages_answering',
      properties: ['sessionId'],
      where: `type = 'CHAT' and status in ('PENDING', 'ACTIVE')`,
    },
  ],
  triggers: [
    {
      name: 'stages_index_answered', // keeps session_search up to date
      timing: 'after',
      events: ['update'],
      expression: `create trigger "stages_index_answered" after update of "status" on "stages" for each row when (new.type = 'CHAT' and old.status in ('PENDING', 'ACTIVE') and new.status not in ('PENDING', 'ACTIVE')) execute function tarsy_answer_ended()`,
    },
  ],
});
export type StageRow = InferEntity<typeof Stage>;
