import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { DECIDE_APPROVAL, PENDING_APPROVALS } from './approvals.ts';
import { ALERT_TYPES, SESSION_EVENTS, SESSION_OUTCOME, SUBMIT_ALERT } from './contract.ts';
import {
  CASE_DOCUMENT,
  CASES,
  CREATE_CASE,
  DELETE_CASE,
  IMPORT_CASE,
  REPLAY,
  REPLAY_CASE,
} from './contract-cases.ts';
import { SESSION_EXPORT } from './export.ts';

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

test.each([
  PENDING_APPROVALS,
  DECIDE_APPROVAL,
  SUBMIT_ALERT,
  ALERT_TYPES,
  SESSION_OUTCOME,
  SESSION_EVENTS,
  SESSION_EXPORT,
  ...[CASES, CASE_DOCUMENT, CREATE_CASE, IMPORT_CASE, DELETE_CASE, REPLAY_CASE, REPLAY],
])('the public schema has %s', (document) => {
  expect(validate(schema, parse(document))).toEqual([]);
});
