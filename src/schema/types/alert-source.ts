import { builder } from '../builder.ts';

/** A sign of life of a source, as it stands. */
export interface CanaryView {
  healthy: boolean;
  everyMs: number;
  arrivedAt: Date | null;
  completedAt: Date | null;
  durationMs: number | null;
  error: string | null;
}

const Canary = builder.objectRef<CanaryView>('Canary').implement({
  description:
    'Whether a sign of life of a source comes: an alert that shows that alerts come, and are investigated.',
  fields: (t) => ({
    healthy: t.exposeBoolean('healthy', {
      description: 'Whether it comes as often as it shall, and ends well.',
    }),
    everySeconds: t.int({
      description: 'How often it is sent; of an alert that a rule takes as one, how long it may stay away.',
      resolve: ({ everyMs }) => Math.round(everyMs / 1000),
    }),
    lastArrivedAt: t.expose('arrivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it came last; null when it never did.',
    }),
    lastCompletedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When its investigation last ended well; null when none did, or when it is not investigated.',
    }),
    lastDurationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'From its arrival to the end of that investigation.',
    }),
    lastError: t.exposeString('error', {
      nullable: true,
      description: 'Why it is not healthy; null when it is.',
    }),
  }),
});

/** A configured source with what came of it. */
export interface AlertSourceView {
  name: string;
  type: string;
  verification: string;
  lastReceivedAt: Date | null;
  received: number;
  rejected: number;
  canary: CanaryView | null;
}

export const AlertSource = builder.objectRef<AlertSourceView>('AlertSource').implement({
  description: 'A monitoring system that may send alerts.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the configuration.' }),
    type: t.exposeString('type', { description: 'In which form it sends, such as alertmanager.' }),
    path: t.string({
      description: 'Path to send to, such as /webhooks/prod-alertmanager.',
      resolve: ({ name }) => `/webhooks/${name}`,
    }),
    verification: t.exposeString('verification', {
      description: 'How it proves itself: TOKEN, SIGNATURE, BASIC or NONE.',
    }),
    lastReceivedAt: t.expose('lastReceivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its last delivery was taken; null when none was within a week.',
    }),
    received: t.expose('received', {
      type: 'Long',
      description: 'Deliveries that were taken within a week.',
    }),
    rejected: t.expose('rejected', {
      type: 'Long',
      description: 'Deliveries that were refused within a week.',
    }),
    canary: t.expose('canary', {
      type: Canary,
      nullable: true,
      description: 'Its sign of life, the worst when it has several; null when it has none.',
    }),
  }),
});
