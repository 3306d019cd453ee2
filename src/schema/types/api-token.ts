import type { TokenView } from '../../access/tokens.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { keyOf } from '../ids.ts';
import { declared, mutationResult, orDeclared } from './errors.ts';

const ApiTokenRef = builder.objectRef<TokenView>('ApiToken');

nodeType(
  ApiTokenRef,
  'A credential with which a program, instead of a signed-in user, sends requests.',
  (t) => ({
    name: t.exposeString('name', {
      description: 'Purpose. Tokens of the same name are one sender and belong to one team.',
    }),
    prefix: t.exposeString('prefix', { description: 'First characters of the token, to recognize it.' }),
    scopes: t.field({
      type: [enums.TokenScope],
      description: 'Permitted actions.',
      resolve: ({ scopes }) => [...scopes],
    }),
    team: t.exposeString('team', {
      nullable: true,
      description:
        'Team whose objects are visible to the token, besides those of no team; `*` for every team. Null: only objects of no team or, with the scope ADMIN or without configured teams, everything.',
    }),
    createdBy: t.exposeString('createdBy', { description: 'User or token that created it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Expiry time; null if it never expires.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last use, accurate to a minute; null if never used.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null if it was not.',
    }),
    owner: t.exposeString('owner', {
      nullable: true,
      description:
        'User to whom it belongs, without whose access it is refused. Null for a service token, which outlives its creator.',
    }),
    suspendedAt: t.expose('suspendedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the access of its owner ended; null if it has not.',
    }),
  }),
);

type Made = { token: TokenView; secret: string };

const CreateApiTokenSuccess = objectType<Made>('CreateApiTokenSuccess', 'The token was created.', (t) => ({
  apiToken: t.expose('token', { type: ApiTokenRef, description: 'The new token.' }),
  secret: t.exposeString('secret', {
    description: 'The token. Returned only once, because only its hash is stored.',
  }),
}));
const CreateApiToken = mutationResult('CreateApiToken', [ValidationError], CreateApiTokenSuccess);

const RevokeApiToken = mutationResult('RevokeApiToken', [NotFoundError, ConflictError], {
  description: 'The token no longer grants access. Connections opened with it close within a second.',
  field: { apiToken: { type: ApiTokenRef, description: 'The token as it is now.' } },
});

const CreateApiTokenInput = builder.inputType('CreateApiTokenInput', {
  description: 'A token for a program.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'Purpose, up to 100 characters. Tokens of the same name are one sender, and its valid tokens belong to one team.',
    }),
    scopes: t.field({
      type: [enums.TokenScope],
      required: true,
      description: 'Permitted actions; at least one.',
    }),
    team: t.string({
      description:
        'Team whose objects are visible to the token, besides those of no team, and which owns the alerts it sends; `*` for every team. Default: only objects of no team; with the scope ADMIN or without configured teams, everything.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'Expiry time. Default: never.' }),
    service: t.boolean({
      defaultValue: false,
      description:
        'True for a token that outlives the access of its creator. Otherwise it belongs to the user who creates it, or to the owner of the creating token.',
    }),
  }),
});

builder.queryField('apiTokens', (t) =>
  t.field({
    type: [ApiTokenRef],
    description: 'API tokens of programs: valid tokens before ended ones, each newest first; at most 1000.',
    resolve: (_root, _args, { reads }) => reads.apiTokens(),
  }),
);

builder.mutationField('createApiToken', (t) =>
  t.field({
    type: CreateApiToken.type,
    description: 'Creates a token for a program. A token can only create tokens without further permissions.',
    args: { input: t.arg({ type: CreateApiTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, { tokens, viewer }) => {
      const { name, scopes, team = null, expiresAt = null, service } = input;
      const token = { name, scopes, team, expiresAt, isService: service === true };
      return orDeclared(tokens.create(token, viewer), CreateApiToken);
    },
  }),
);

builder.mutationField('revokeApiToken', (t) =>
  t.field({
    type: RevokeApiToken.type,
    description: 'Revokes a token permanently.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the token.' }) },
    resolve: (_root, { id }, { tokens, viewer }) => {
      const key = keyOf('ApiToken', id);
      if (key === null) return declared(new NotFoundError('There is no token with this id.'));
      return orDeclared(tokens.revoke(key, viewer), RevokeApiToken);
    },
  }),
);
