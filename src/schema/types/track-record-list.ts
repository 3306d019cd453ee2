import { builder } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import { AlertTypeRecordRef, TrackRecordRef } from './track-record.ts';

const SINCE = 'Only sessions submitted at or after this time.';

builder.queryField('trackRecord', (t) =>
  t.field({
    type: TrackRecordRef,
    extensions: queryCost({ own: 100 }),
    description: 'Accuracy of investigations: of all, or of those that the arguments select.',
    args: {
      alertType: t.arg.string({ description: 'Only this alert type.' }),
      chainId: t.arg.string({ description: 'Only this chain.' }),
      since: t.arg({ type: 'DateTime', description: SINCE }),
    },
    resolve: (_root, { alertType = null, chainId = null, since = null }, { reads }) =>
      reads.trackRecord({ alertType, chainId, since }),
  }),
);

builder.queryField('trackRecords', (t) =>
  t.field({
    type: [AlertTypeRecordRef],
    extensions: queryCost({ own: 100 }),
    description: 'Track records per alert type and chain, those with the most reviews first; at most 200.',
    args: { since: t.arg({ type: 'DateTime', description: SINCE }) },
    resolve: (_root, { since }, { reads }) => reads.trackRecords(since ?? null),
  }),
);
