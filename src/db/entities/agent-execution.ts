import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { IterationStrategy } from '../../config/enums.ts';
import type { ExecutionStatus } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { costs, createdAt, id, moment, oneOf, reference, tokenCounts } from './columns.ts';
import { Stage } from './stage.ts';

export const AgentExecution = defineEntity({
  name: 'AgentExecution',
  tableName: 'agent_executions',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    stageId: () => reference(Stage, 'stage_id'),
    parentExecutionId: p.uuid().nullable(), // execution that started this sub-agent; no foreign key, because all executions are deleted with their session
    task: p.text().nullable(), // task of a sub-agent, masked; null for other agents
    agentName: p.text(),
    agentIndex: p.integer(),
    iterationStrategy: oneOf<IterationStrategy>(),
    llmProvider: p.text().nullable(),
    llmBackend: p.text().nullable(),
    modelName: p.text().nullable(),
    originalLlmProvider: p.text().nullable(), // first provider, if the agent fell back to another one; null if it did not
    status: oneOf<ExecutionStatus>().default('PENDING'),
    errorMessage: p.text().nullable(),
    createdAt: createdAt(),
    startedAt: moment().nullable(),
    completedAt: moment().nullable(),
    ...tokenCounts(),
    ...costs(),
  },
  uniques: [{ name: 'agent_executions_stage_index', properties: ['stageId', 'agentIndex'] }],
  indexes: [{ name: 'agent_executions_session', properties: ['sessionId'] }],
});
export type AgentExecutionRow = InferEntity<typeof AgentExecution>;
