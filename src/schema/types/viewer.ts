import type { Viewer as ViewerValue } from '../../access/viewer.ts';
import { TOKEN_SCOPES } from '../../db/enums.ts';
import { builder } from '../builder.ts';
import { RoleEnum, TokenScopeEnum } from '../enums.ts';

export const Viewer = builder.objectRef<ViewerValue>('Viewer').implement({
  description: 'Who sends the request, as the server knows them.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Recorded as author of what they do.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'Their address; null when the proxy gives none.',
    }),
    role: t.field({
      type: RoleEnum,
      description: 'The role that comes nearest to what they may do.',
      resolve: ({ role }) => role!, // who has none is not told who they are
    }),
    rights: t.field({
      type: [TokenScopeEnum],
      description: 'What they may do, each thing by itself; of a token its scopes.',
      resolve: ({ rights }) => TOKEN_SCOPES.filter((right) => rights.has(right)),
    }),
    groups: t.exposeStringList('groups', {
      description: 'Their groups, as the proxy gives them; empty when it gives none.',
    }),
    teams: t.stringList({
      nullable: true,
      description:
        'Teams whose sessions, groups and approvals they see, besides what is of no team; null: all.',
      resolve: ({ teams }) => teams && [...teams],
    }),
    via: t.exposeString('via', {
      description:
        'How they were recognised: NONE (nobody signs in, the name is a label), PROXY, OIDC or TOKEN.',
    }),
  }),
});
