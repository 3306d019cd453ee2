import type { Viewer as ViewerValue } from '../../access/viewer.ts';
import { TOKEN_SCOPES } from '../../db/enums.ts';
import { builder, objectType } from '../builder.ts';
import { enums } from '../enums.ts';

const Viewer = objectType<ViewerValue>('Viewer', 'Authenticated sender of the request.', (t) => ({
  name: t.exposeString('name', { description: 'Name, recorded as the author of actions.' }),
  email: t.exposeString('email', {
    nullable: true,
    description: 'Email address; null if the proxy gives none.',
  }),
  role: t.field({
    type: enums.Role,
    description: 'Role that is closest to the permissions.',
    resolve: ({ role }) => role!, // not null, because the query `viewer` refuses users without a role
  }),
  rights: t.field({
    type: [enums.TokenScope],
    description: 'Individual permissions; for a token its scopes.',
    resolve: ({ rights }) => TOKEN_SCOPES.filter((right) => rights.has(right)),
  }),
  groups: t.exposeStringList('groups', { description: 'Groups from the proxy; empty if it gives none.' }),
  teams: t.stringList({
    nullable: true,
    description:
      'Teams whose sessions, alert groups and approvals are visible, besides those of no team; null for all.',
    resolve: ({ teams }) => teams && [...teams],
  }),
  via: t.exposeString('via', {
    description:
      'Authentication method: NONE (no sign-in, the name is only a label), PROXY, OIDC, TOKEN or SLACK.',
  }),
}));

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Sender of this request.',
    resolve: (_root, _args, { viewer }) => viewer,
  }),
);
