import { builder, objectType } from '../builder.ts';
import { queryCost } from '../query-cost.ts';

interface CanaryView {
  healthy: boolean;
  everyMs: number;
  arrivedAt: Date | null;
  completedAt: Date | null;
  durationMs: number | null;
  error: string | null;
}

const Canary = objectType<CanaryView>(
  'Canary',
  'A recurring test alert that shows that alerts of a source arrive and are investigated.',
  (t) => ({
    healthy: t.exposeBoolean('healthy', {
      description: 'True if the test alert arrives on time and its investigation succeeds.',
    }),
    everySeconds: t.int({
      description:
        'Interval of the test alert, in seconds. For an alert that a rule treats as one: the longest allowed gap.',
      resolve: ({ everyMs }) => Math.round(everyMs / 1000),
    }),
    lastArrivedAt: t.expose('arrivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last arrival; null if it never arrived.',
    }),
    lastCompletedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Last successful end of its investigation; null if there was none, or if it is not investigated.',
    }),
    lastDurationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Milliseconds from arrival to the end of that investigation.',
    }),
    lastError: t.exposeString('error', {
      nullable: true,
      description: 'Reason why it is not healthy; null if it is.',
    }),
  }),
);

interface AlertSourceView {
  name: string;
  type: string;
  verification: string;
  lastReceivedAt: Date | null;
  received: number;
  rejected: number;
  canary: CanaryView | null;
}

const AlertSource = objectType<AlertSourceView>(
  'AlertSource',
  'A monitoring system that may send alerts.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name in the configuration.' }),
    type: t.exposeString('type', { description: 'Payload format, such as alertmanager.' }),
    path: t.string({
      description: 'Path that receives its deliveries, such as /webhooks/prod-alertmanager.',
      resolve: ({ name }) => `/webhooks/${name}`,
    }),
    verification: t.exposeString('verification', {
      description: 'How deliveries are authenticated: TOKEN, SIGNATURE, BASIC or NONE.',
    }),
    lastReceivedAt: t.expose('lastReceivedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its last delivery was accepted; null if there was none within a week.',
    }),
    received: t.expose('received', {
      type: 'Long',
      description: 'Deliveries accepted within the last week.',
    }),
    rejected: t.expose('rejected', { type: 'Long', description: 'Deliveries refused within the last week.' }),
    canary: t.expose('canary', {
      type: Canary,
      nullable: true,
      description: 'Test alert of the source, an unhealthy one first; null if there is none.',
    }),
  }),
);

builder.queryField('alertSources', (t) =>
  t.field({
    type: [AlertSource],
    extensions: queryCost({ own: 50 }),
    description: 'Configured monitoring systems, in configuration order.',
    resolve: async (_root, _args, { intake, reads }) => {
      const counted = new Map((await reads.sourceCounts()).map((counts) => [counts.source, counts]));
      const canaries = (await intake?.canaries.states()) ?? [];
      return (intake?.sources ?? []).map((source) => {
        const { lastReceivedAt = null, received = 0, rejected = 0 } = counted.get(source.name) ?? {};
        const own = canaries.filter((canary) => canary.source === source.name);
        const canary = own.find(({ healthy }) => !healthy) ?? own[0] ?? null;
        return { ...source, lastReceivedAt, received, rejected, canary };
      });
    },
  }),
);
