import type { SilenceRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { connectionOf } from './connection.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ValidationErrorRef,
} from './errors.ts';
import { SilenceRef } from './refs.ts';

builder.node(SilenceRef, {
  description: 'Matching alerts are kept, but not investigated, from startsAt to endsAt.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    matchers: t.stringList({
      description:
        'In Alertmanager’s syntax: `name="value"`, `name!="v"`, `name=~"re"`, `name!~"re"`; all must hold.',
      resolve: ({ matchers }) => matchers,
    }),
    teams: t.stringList({
      nullable: true,
      description:
        'Teams whose alerts it covers, besides those of no team: what its author sees. Null: of every team.',
      resolve: ({ teams }) => teams ?? null,
    }),
    comment: t.exposeString('comment', { description: 'Why, in its author’s words.' }),
    createdBy: t.exposeString('createdBy', { description: 'Who made it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'From when on it holds.' }),
    endsAt: t.expose('endsAt', { type: 'DateTime', description: 'Until when it holds, or held.' }),
    endedBy: t.exposeString('endedBy', {
      nullable: true,
      description: 'Who ended it early; null while nobody did.',
    }),
    matchedCount: t.expose('matchedCount', {
      type: 'Long',
      description: 'Alerts that it kept from being investigated, counted with each delivery.',
    }),
  }),
});

export const SilenceConnection = connectionOf('Silence', SilenceRef as never, 'silences');

const CreateSilenceSuccess = builder.objectRef<SilenceRow>('CreateSilenceSuccess').implement({
  description: 'The silence holds, or will.',
  fields: (t) => ({
    silence: t.field({ type: SilenceRef, description: 'The new silence.', resolve: (row) => row }),
  }),
});
export const CreateSilenceResult = builder.unionType('CreateSilenceResult', {
  description: 'What became of a new silence.',
  types: [CreateSilenceSuccess, ValidationErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'CreateSilenceSuccess'),
});

const EndSilenceSuccess = builder.objectRef<SilenceRow>('EndSilenceSuccess').implement({
  description: 'The silence holds no more; what still fires is decided on within seconds.',
  fields: (t) => ({
    silence: t.field({ type: SilenceRef, description: 'The silence as it is now.', resolve: (row) => row }),
  }),
});
export const EndSilenceResult = builder.unionType('EndSilenceResult', {
  description: 'What became of the end of a silence.',
  types: [EndSilenceSuccess, NotFoundErrorRef, ConflictErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'EndSilenceSuccess'),
});

export const CreateSilenceInput = builder.inputType('CreateSilenceInput', {
  description: 'Alerts that are not to be investigated for some time.',
  fields: (t) => ({
    matchers: t.stringList({
      required: true,
      description:
        'Such as `namespace="pay"` or `host=~"db-.*"`, as in Alertmanager; all must hold. 1 to 20.',
    }),
    comment: t.string({ required: true, description: 'Why, for people; up to 1,000 characters.' }),
    startsAt: t.field({ type: 'DateTime', description: 'Default: now.' }),
    endsAt: t.field({ type: 'DateTime', required: true, description: 'When it ends by itself.' }),
  }),
});
