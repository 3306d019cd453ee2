import type { TokenView } from '../../access/tokens.ts';
import { builder } from '../builder.ts';
import { TokenScopeEnum } from '../enums.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ValidationErrorRef,
} from './errors.ts';

export const ApiTokenRef = builder.objectRef<TokenView>('ApiToken');

builder.node(ApiTokenRef, {
  description: 'What a program shows with each request in place of a user who signs in.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'What it is for. Those of one name are one sender, and of one team.',
    }),
    prefix: t.exposeString('prefix', {
      description: 'The first characters of the token, to know it again by.',
    }),
    scopes: t.field({
      type: [TokenScopeEnum],
      description: 'What it may do.',
      resolve: ({ scopes }) => [...scopes],
    }),
    team: t.exposeString('team', {
      nullable: true,
      description:
        'The team that it sees, besides what is of none; `*`: every team; null: it sees what is of no team, or, with the scope ADMIN or where no teams are configured, everything.',
    }),
    createdBy: t.exposeString('createdBy', { description: 'Who made it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends; null: not by itself.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, up to a minute late; null: never.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null: it was not.',
    }),
  }),
});

type Made = { token: TokenView; secret: string };

const CreateApiTokenSuccess = builder.objectRef<Made>('CreateApiTokenSuccess').implement({
  description: 'The token is made.',
  fields: (t) => ({
    apiToken: t.field({ type: ApiTokenRef, description: 'The new token.', resolve: ({ token }) => token }),
    secret: t.exposeString('secret', {
      description: 'The token itself. Shown this once; only its hash is kept.',
    }),
  }),
});
export const CreateApiTokenResult = builder.unionType('CreateApiTokenResult', {
  description: 'What became of a new token.',
  types: [CreateApiTokenSuccess, ValidationErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'CreateApiTokenSuccess'),
});

const RevokeApiTokenSuccess = builder.objectRef<TokenView>('RevokeApiTokenSuccess').implement({
  description: 'The token lets nobody in any more; what was opened with it ends within a second.',
  fields: (t) => ({
    apiToken: t.field({
      type: ApiTokenRef,
      description: 'The token as it is now.',
      resolve: (token) => token,
    }),
  }),
});
export const RevokeApiTokenResult = builder.unionType('RevokeApiTokenResult', {
  description: 'What became of the end of a token.',
  types: [RevokeApiTokenSuccess, NotFoundErrorRef, ConflictErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'RevokeApiTokenSuccess'),
});

export const CreateApiTokenInput = builder.inputType('CreateApiTokenInput', {
  description: 'A token for a program.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'What it is for; up to 100 characters. Tokens of one name are one sender, and those that hold are of one team.',
    }),
    scopes: t.field({ type: [TokenScopeEnum], required: true, description: 'What it may do; at least one.' }),
    team: t.string({
      description:
        'The team that it sees, besides what is of none, and whose the alerts are that are sent with it; `*`: it sees every team. Default: it sees what is of no team; with the scope ADMIN, or where no teams are configured, everything.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends by itself. Default: never.' }),
  }),
});
