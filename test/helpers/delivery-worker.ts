import { pino } from 'pino';
import { openPool } from '../../src/db/pool.ts';
import { webhookChannel } from '../../src/notify/channels/webhook.ts';
import { startDeliveries } from '../../src/notify/deliver.ts';
import { createGuardedPost } from '../../src/notify/guarded-request.ts';
import { systemNetwork } from '../../src/runbooks/network.ts';

/** A process that only sends the due deliveries of the channel `hook` to HOOK_URL. Tests run it with Node and kill it. */
const { DATABASE_URL: databaseUrl = '', HOOK_URL: url = '', HOOK_SECRET: secret = '' } = process.env;
const logger = pino({ level: 'silent' });
const send = webhookChannel(createGuardedPost(systemNetwork()), {
  ...{ url: new URL(url), allowPrivate: true, secrets: [secret], source: 'https://tarsy.example' },
});
startDeliveries({
  db: openPool(databaseUrl, { application: 'test-deliveries', logger }),
  channels: new Map([['hook', send]]),
  dashboardUrl: 'https://tarsy.example',
  mask: (text) => text,
  warnings: { raise: async () => {}, clear: async () => {} },
  metrics: { notificationAttempted: () => {} },
  logger,
});
process.stdout.write('ready\n');
