import type { Logger } from 'pino';
import type { Config, SourceConfig } from '../config/types.ts';
import type { Queryable } from '../engine/events/log.ts';
import type { Masking } from '../engine/masking/masking.ts';
import type { Submissions } from '../engine/session/submissions.ts';
import type { Transaction } from '../engine/session/transaction.ts';
import type { NotifySlack } from '../engine/slack/posts.ts';
import { type DeliverDeps, deliver, type GroupAnswer } from './deliver.ts';
import type { Delivery } from './delivery.ts';
import { maskAlerts, maskedKey } from './mask.ts';
import { createRejections } from './rejections.ts';
import { createRules } from './rules.ts';
import { parseDelivery } from './sources/index.ts';
import { tend } from './tend.ts';
import { createCertificates } from './verify/certificates.ts';
import { verifyDelivery } from './verify/index.ts';
import type { CertificateOf } from './verify/sns.ts';

export interface IntakeDeps {
  config: Config;
  /** For its own statements: what it waits for holds up nothing else, and the other way round. */
  db: Queryable;
  transaction: Transaction;
  masking: Masking;
  submissions: Submissions;
  dispatch: (tx: Queryable) => Promise<void>;
  notifySlack: NotifySlack;
  logger: Logger;
  /** In the place of the way to AWS; for tests. */
  certificateOf?: CertificateOf;
}

/** What a delivery was answered with. */
export interface TakenDelivery {
  /** Why it holds no alert; null when it does. */
  ignored: string | null;
  repeated: boolean;
  notes: readonly string[];
  groups: readonly GroupAnswer[];
}

/** What monitoring systems send, from the request to the session. */
export interface Intake {
  /** Null = there is no such source. */
  sourceOf(name: string): SourceConfig | null;
  /**
   * Checks, reads, masks, stores and decides on a delivery.
   * @throws DeliveryRefusedError, TooManyAlertsError, ShuttingDownError
   */
  take(source: SourceConfig, delivery: Delivery): Promise<TakenDelivery>;
  /** Counts a delivery that was refused. */
  reject(source: SourceConfig, rejection: { code: string; message: string }): void;
  /** What no delivery asks for; to be done regularly, by any process. */
  tend(): Promise<void>;
  close(): Promise<void>;
}

export function createIntake(deps: IntakeDeps): Intake {
  const { config, db, masking, submissions, logger } = deps;
  const certificateOf = deps.certificateOf ?? createCertificates();
  const ruleOf = createRules(config.intake);
  const rejections = createRejections({ db, logger });
  const deliverDeps: DeliverDeps = {
    ...deps,
    config: config.intake,
    defaultAlertType: config.defaults.alertType,
  };
  const { sources } = config.intake;
  return {
    sourceOf: (name) => (Object.hasOwn(sources, name) ? sources[name]! : null),
    async take(source, delivery) {
      await verifyDelivery(delivery, source, { certificateOf });
      submissions.count(`source ${source.name}`);
      const parsed = parseDelivery(delivery, source);
      if (parsed.ignored !== null)
        logger.info({ source: source.name, why: parsed.ignored }, 'a delivery without alerts');
      const ruled = parsed.alerts.map((alert) => ruleOf(alert, source));
      const alerts = maskAlerts(masking, parsed.alerts).map((alert, index) => {
        const ruling = { ...ruled[index]!, groupKey: maskedKey(masking, ruled[index]!.groupKey) };
        return {
          ...alert,
          ruling,
          severity: ruling.severity,
          rule: ruling.rule,
          isExcluded: ruling.isExcluded,
        };
      });
      const answer = await deliver(deliverDeps, source, parsed, alerts);
      return { ...answer, ignored: parsed.ignored, notes: parsed.notes };
    },
    reject: (source, { code, message }) => rejections.add({ source: source.name, code, message }),
    tend: () => tend({ ...deliverDeps, db, ruleOf, config: config.intake }),
    close: () => rejections.flush(),
  };
}
