import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '../common/errors.ts';
import { builder } from '../schema/builder.ts';
import { keyOf } from '../schema/ids.ts';
import {
  ApiTokenRef,
  CreateApiTokenInput,
  CreateApiTokenResult,
  RevokeApiTokenResult,
} from '../schema/types/api-token.ts';
import { orDeclared } from '../schema/types/errors.ts';

builder.queryField('apiTokens', (t) =>
  t.field({
    type: [ApiTokenRef],
    description: 'API tokens of programs: valid tokens before ended ones, each newest first; at most 1000.',
    resolve: (_root, _args, { reads }) => reads.apiTokens(),
  }),
);

builder.mutationField('createApiToken', (t) =>
  t.field({
    type: CreateApiTokenResult,
    description: 'Creates a token for a program. A token can only create tokens without further permissions.',
    args: { input: t.arg({ type: CreateApiTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, { tokens, viewer }) => {
      const { name, scopes, team, expiresAt } = input;
      const token = { name, scopes, team: team ?? null, expiresAt: expiresAt ?? null };
      return orDeclared(tokens.create(token, viewer), [ValidationError, ForbiddenError]);
    },
  }),
);

builder.mutationField('revokeApiToken', (t) =>
  t.field({
    type: RevokeApiTokenResult,
    description: 'Revokes a token permanently.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the token.' }) },
    resolve: (_root, { id }, { tokens, viewer }) => {
      const key = keyOf('ApiToken', id);
      if (key === null) return { declared: new NotFoundError('There is no token with this id.') };
      return orDeclared(tokens.revoke(key, viewer), [NotFoundError, ConflictError]);
    },
  }),
);
