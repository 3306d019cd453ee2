import { builder } from '../../schema/builder.ts';
import { ApiTokenRef } from '../../schema/types/api-token.ts';

builder.queryField('apiTokens', (t) =>
  t.field({
    type: [ApiTokenRef],
    description:
      'The tokens of programs: those that hold, then those that ended; newest first, at most 1000.',
    resolve: (_root, _args, { reads }) => reads.apiTokens(),
  }),
);
