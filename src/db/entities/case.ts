import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { AlertSession } from './alert-session.ts';
import { createdAt, id, reference, sqlIndexes } from './columns.ts';

/** A frozen investigation that can be replayed. The row is written once. */
export const Case = defineEntity({
  name: 'Case',
  tableName: 'cases',
  properties: {
    id: id(),
    name: p.text(),
    team: p.text().nullable(), // null = no team: visible to all
    sourceSessionId: p.uuid().nullable(), // session from which it was made; no foreign key, because cases outlive sessions
    document: p.text().lazy(), // JSON with a fixed order of keys, masked; up to 8 MiB, so lists never read it
    hash: p.text(), // SHA-256 of the document
    alertType: p.text(),
    world: p.text().$type<'OPEN' | 'CLOSED'>(),
    expectation: p.json<StoredExpectation>(),
    maxUnrecordedCalls: p.integer(),
    recordedCalls: p.integer(),
    createdBy: p.text(),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'cases_created', properties: ['createdAt', 'id'] },
    ...sqlIndexes('cases', { cases_hash: '(hash)' }), // finds the case of an imported document
  ],
});
export type CaseRow = Omit<InferEntity<typeof Case>, 'document' | 'expectation'> & {
  expectation: StoredExpectation;
};

/** The part `expect` of a case's document. */
export interface StoredExpectation {
  verdict?: 'ACTION_REQUIRED' | 'ACTION_SUGGESTED' | 'NO_ACTION' | 'INCONCLUSIVE' | undefined;
  must_say: string[];
  must_not_say: string[];
  entities: string[];
  min_confidence?: number | undefined;
  cause?: string | undefined;
  causes: string[];
}

/** A replay of a case: marks its session as one, and names the configuration that it measures. */
export const Replay = defineEntity({
  name: 'Replay',
  tableName: 'replays',
  properties: {
    id: id(),
    caseId: () => reference(Case, 'case_id'),
    sessionId: () => reference(AlertSession, 'session_id').unique(),
    llmProvider: p.text().nullable(), // provider of every model call; null = as configured
    provider: p.text(), // provider of the chain's first agent
    model: p.text(), // its model
    configHash: p.text(), // SHA-256 of the configuration that decides how the session runs
    cause: p.text().nullable(), // cause that the model chose from those of the case
    suiteId: p.uuid().nullable(), // replays that are judged together; null = made by a version without suites
    suiteSize: p.integer().nullable(), // number of replays that the suite will have
    createdBy: p.text(),
    createdAt: createdAt(),
  },
  indexes: [
    { name: 'replays_case', properties: ['caseId', 'createdAt', 'id'] },
    { name: 'replays_suite', properties: ['suiteId'] },
  ],
});
export type ReplayRow = InferEntity<typeof Replay>;
