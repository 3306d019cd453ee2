import { builder } from '../builder.ts';
import type { AlertTypeRecord, ReliabilityBucket, TrackRecord } from '../views.ts';

const ReliabilityBucketRef = builder.objectRef<ReliabilityBucket>('ReliabilityBucket').implement({
  description: 'Reviewed investigations whose report was about as confident.',
  fields: (t) => ({
    from: t.exposeFloat('from', { description: 'The least confidence.' }),
    to: t.exposeFloat('to', {
      description: 'The confidence that is too much for it; in the last bucket 1 is not.',
    }),
    reviewed: t.exposeInt('reviewed', { description: 'How many.' }),
    confidence: t.exposeFloat('confidence', { description: 'Their mean confidence, 0 to 1.' }),
    accuracy: t.exposeFloat('accuracy', {
      description: 'How right they were: the mean of accurate 1, partially 0.5, inaccurate 0.',
    }),
  }),
});

export const TrackRecordRef = builder.objectRef<TrackRecord>('TrackRecord').implement({
  description: 'How right investigations were that have a report, as people said when they reviewed them.',
  fields: (t) => ({
    reviewed: t.exposeInt('reviewed', { description: 'Those that were rated.' }),
    accurate: t.exposeInt('accurate', { description: 'Those that were right.' }),
    partiallyAccurate: t.exposeInt('partiallyAccurate', { description: 'Those that were partly right.' }),
    inaccurate: t.exposeInt('inaccurate', { description: 'Those that were wrong.' }),
    brierScore: t.exposeFloat('brierScore', {
      nullable: true,
      description:
        'Mean squared distance of confidence from outcome (accurate 1, partially 0.5, inaccurate 0): 0 is best; null below 5 reviews.',
    }),
    reliability: t.field({
      type: [ReliabilityBucketRef],
      description: 'By confidence, in fifths; those without reviews are left out.',
      resolve: ({ reliability }) => [...reliability],
    }),
  }),
});

export const AlertTypeRecordRef = builder.objectRef<AlertTypeRecord>('AlertTypeRecord').implement({
  description: 'How right the investigations of one alert type and chain were.',
  fields: (t) => ({
    alertType: t.exposeString('alertType', { description: 'The alert type.' }),
    chainId: t.exposeString('chainId', { description: 'The chain that investigated.' }),
    record: t.field({
      type: TrackRecordRef,
      description: 'Of all verdicts.',
      resolve: ({ record }) => record,
    }),
  }),
});
