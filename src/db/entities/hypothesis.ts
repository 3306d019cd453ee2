import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { HypothesisState } from '../enums.ts';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, oneOf, reference } from './columns.ts';
import type { StoredCitation, StoredFact } from './report.ts';

/** A possible cause that an agent examines. The proof holds unless the state is PROPOSED. */
export const Hypothesis = defineEntity({
  name: 'Hypothesis',
  tableName: 'hypotheses',
  properties: {
    id: id(),
    sessionId: () => reference(AlertSession, 'session_id'),
    executionId: p.uuid(), // no foreign key, because the row is deleted with the session
    number: p.integer(), // number within the agent, from 1: the agent knows the hypothesis as H1
    text: p.text(), // written by the model; never changes
    state: oneOf<HypothesisState>(),
    citations: p.json<StoredCitation[]>(),
    facts: p.json<StoredFact[]>(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  uniques: [{ name: 'hypotheses_number', properties: ['executionId', 'number'] }],
  indexes: [{ name: 'hypotheses_session', properties: ['sessionId', 'id'] }],
});
export type HypothesisRow = InferEntity<typeof Hypothesis>;
