import { objectType } from '../builder.ts';
import type { AlertTypeRecord, ReliabilityBucket, TrackRecord } from '../views.ts';

const ReliabilityBucketRef = objectType<ReliabilityBucket>(
  'ReliabilityBucket',
  'Reviewed investigations whose reports had similar confidence.',
  (t) => ({
    from: t.exposeFloat('from', { description: 'Lower bound of confidence, inclusive.' }),
    to: t.exposeFloat('to', {
      description: 'Upper bound of confidence, exclusive; the last bucket includes 1.',
    }),
    reviewed: t.exposeInt('reviewed', { description: 'Number of investigations.' }),
    confidence: t.exposeFloat('confidence', { description: 'Mean confidence, 0–1.' }),
    accuracy: t.exposeFloat('accuracy', {
      description: 'Mean accuracy: accurate 1, partially accurate 0.5, inaccurate 0.',
    }),
  }),
);

export const TrackRecordRef = objectType<TrackRecord>(
  'TrackRecord',
  'Accuracy of investigations with a report, according to their reviews.',
  (t) => ({
    reviewed: t.exposeInt('reviewed', { description: 'Number of rated investigations.' }),
    accurate: t.exposeInt('accurate', { description: 'Number rated accurate.' }),
    partiallyAccurate: t.exposeInt('partiallyAccurate', { description: 'Number rated partially accurate.' }),
    inaccurate: t.exposeInt('inaccurate', { description: 'Number rated inaccurate.' }),
    brierScore: t.exposeFloat('brierScore', {
      nullable: true,
      description:
        'Mean squared distance of confidence from outcome (accurate 1, partially accurate 0.5, inaccurate 0); 0 is best. Null below 5 reviews.',
    }),
    reliability: t.field({
      type: [ReliabilityBucketRef],
      description: 'Buckets of confidence, in fifths; empty buckets are omitted.',
      resolve: ({ reliability }) => [...reliability],
    }),
  }),
);

export const AlertTypeRecordRef = objectType<AlertTypeRecord>(
  'AlertTypeRecord',
  'Track record of one alert type and chain.',
  (t) => ({
    alertType: t.exposeString('alertType', { description: 'The alert type.' }),
    chainId: t.exposeString('chainId', { description: 'The chain that investigated.' }),
    record: t.expose('record', { type: TrackRecordRef, description: 'Track record over all verdicts.' }),
  }),
);
