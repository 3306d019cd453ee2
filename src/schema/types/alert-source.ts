import { builder } from '../builder.ts';

/** A configured source with what came of it. */
export interface AlertSourceView {
  name: string;
  type: string;
  verification: string;
  lastReceivedAt: Date | null;
  received: number;
  rejected: number;
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
  }),
});
