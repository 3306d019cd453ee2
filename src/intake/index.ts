import type { Logger } from 'pino';
import type { Actor } from '../audit.ts';
import { chainForAlertType } from '../config/resolve.ts';
import type { Config, SourceConfig } from '../config/types.ts';
import type { AlertGroupRow, SilenceRow } from '../db/entities/index.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import type { SessionSnapshot, SharedStream, SubmittedAlert } from '../engine/api/engine.ts';
import { overBudgetReason } from '../engine/features/budgets/budgets.ts';
import type { NotifySlack } from '../engine/features/slack/posts.ts';
import type { Submissions } from '../engine/sessions/submit.ts';
import type { Masking } from '../masking/masking.ts';
import type { Warnings } from '../warnings.ts';
import { API_SOURCE } from './apply-decision.ts';
import { CANARY_SOURCE } from './canary/alert.ts';
import { type Canaries, createCanaries } from './canary/index.ts';
import type { Delivery, IncomingAlert } from './delivery.ts';
import { createGroupChanges } from './group-changes.ts';
import { investigateGroup } from './investigate-group.ts';
import { createMaskedKeys, maskAlerts } from './mask-alerts.ts';
import {
  type DeliveryDeps,
  type GroupResult,
  processDelivery,
  type RuledAlert,
  type SourceRef,
} from './process-delivery.ts';
import { createRejections } from './rejections.ts';
import { createFindRuling } from './rules.ts';
import { createSilence, endSilence, type NewSilence } from './silences.ts';
import { parseDelivery } from './sources/index.ts';
import { type Submission, submitWithKeys } from './submit.ts';
import { createTeamScope, teamKey } from './team-scope.ts';
import { runUpkeep } from './upkeep.ts';
import { createCertificates } from './verify/certificates.ts';
import { type Verification, verificationOf, verifyDelivery } from './verify/index.ts';
import type { CertificateOf } from './verify/sns.ts';
import type { Sender, SubmitterOf } from './verify/token.ts';

export interface IntakeDeps {
  config: Config;
  /** A pool of its own, so that slow intake and slow API reads do not delay each other. */
  db: Queryable;
  transaction: Transaction;
  masking: Masking;
  submissions: Submissions;
  dispatch: (tx: Queryable) => Promise<void>;
  notifySlack: NotifySlack | null;
  submitterOf: SubmitterOf;
  logger: Logger;
  warnings: Warnings;
  /** Replaces the download of SNS certificates in tests. */
  certificateOf?: CertificateOf;
}

/** The result of a delivery. */
export interface TakenDelivery {
  /** Why the delivery contains no alert; `null` if it contains some. */
  ignored: string | null;
  repeated: boolean;
  notes: readonly string[];
  /** The sender's own key of the alert; `null` where senders do not receive one. */
  senderKey: string | null;
  groups: readonly GroupResult[];
}

/** Receives alerts of monitoring systems, from the request to the session. */
export interface Intake {
  sourceOf(name: string): SourceConfig | null;
  /**
   * Verifies, parses, masks, stores and decides on a delivery.
   * @throws DeliveryRefusedError, TooManyAlertsError, ShuttingDownError
   */
  take(source: SourceConfig, delivery: Delivery): Promise<TakenDelivery>;
  reject(source: SourceConfig, rejection: { code: string; message: string }): void;
  /**
   * Accepts an alert submitted as text with keys or labels.
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, ShuttingDownError, AlertNotInvestigatedError
   */
  submit(submission: Submission, by: Actor): Promise<SubmittedAlert>;
  /** @throws ValidationError */
  createSilence(input: NewSilence, by: Actor): Promise<SilenceRow>;
  /** @throws NotFoundError, ConflictError */
  endSilence(id: string, by: Actor): Promise<SilenceRow>;
  /** Investigates a group now. @throws NotFoundError, ConflictError, TooManyAlertsError, ShuttingDownError */
  investigateGroup(groupId: string, by: Actor): Promise<SessionSnapshot>;
  /** The configured sources in order, then the canary's. */
  sources: readonly { name: string; type: string; verification: Verification }[];
  canaries: Canaries;
  /** Publishes every group that is decided on, from now on. */
  subscribeGroups(): SharedStream<AlertGroupRow>;
  /** Runs the periodic work that no delivery triggers; any process may run it. */
  runUpkeep(): Promise<void>;
  close(): Promise<void>;
}

export function createIntake(deps: IntakeDeps): Intake {
  const { config, db, masking, submissions, logger } = deps;
  const certificateOf = deps.certificateOf ?? createCertificates();
  const teamOfType = (alertType: string | null) => chainForAlertType(config, alertType)?.chain.team ?? null;
  const findRuling = createFindRuling(config.intake, teamOfType);
  const scopeToTeam = createTeamScope(config.access);
  const rejections = createRejections({ db, logger });
  const deliverDeps: DeliveryDeps = {
    ...deps,
    config: config.intake,
    defaultAlertType: config.defaults.alertType,
    overBudget: (tx, subject) => overBudgetReason(tx, config.budgets, subject),
  };
  const canaries = createCanaries({ ...deps, config: config.intake });
  const sources: Readonly<Record<string, SourceConfig>> = {
    ...config.intake.sources,
    ...(canaries.source && { [CANARY_SOURCE]: canaries.source }),
  };
  const isKnownType = (alertType: string) => chainForAlertType(config, alertType) !== null;
  const upkeepDeps = { ...deliverDeps, db, findRuling, isKnownType, config: config.intake };
  const changes = createGroupChanges({ db, logger });

  /** Masks alerts and finds their rulings. Rules match the unmasked alerts, but no secret remains in the result. */
  function rule(alerts: readonly IncomingAlert[], source: SourceRef, { team }: Sender): RuledAlert[] {
    const rulings = alerts.map((alert) => findRuling(alert, source));
    const keyed = createMaskedKeys(
      masking,
      rulings.map(({ groupKey }) => groupKey),
    );
    return maskAlerts(masking, alerts).map((masked, index) => {
      const groupKey = keyed(rulings[index]!.groupKey);
      const { alert, ruling } = scopeToTeam(masked, { ...rulings[index]!, groupKey }, team);
      const { severity, rule: name, isExcluded } = ruling;
      return { ...alert, ruling, severity, rule: name, isExcluded };
    });
  }

  return {
    sourceOf: (name) => (Object.hasOwn(sources, name) ? sources[name]! : null),
    async take(source, delivery) {
      const { submitterOf } = deps;
      const sender = await verifyDelivery(delivery, source, { certificateOf, submitterOf });
      submissions.count(`source ${source.name}`);
      const parsed = parseDelivery(delivery, source);
      if (parsed.ignored !== null)
        logger.info({ source: source.name, why: parsed.ignored }, 'delivery without alerts');
      const deliveryKey = parsed.deliveryKey && teamKey(sender.team, parsed.deliveryKey);
      const ruled = rule(parsed.alerts, source, sender);
      const answer = await processDelivery(deliverDeps, { source, deliveryKey, alerts: ruled });
      const { notes, senderKey = null } = parsed;
      return { ...answer, ignored: parsed.ignored, notes, senderKey };
    },
    reject: (source, { code, message }) => rejections.add({ source: source.name, code, message }),
    async submit(submission, by) {
      submissions.count(by.name);
      const ruled = (alert: IncomingAlert, alertType: string | null) =>
        rule([alert], { name: API_SOURCE, alertType }, { team: submission.team ?? null })[0]!;
      return submitWithKeys({ ...deliverDeps, db }, ruled, submission, by);
    },
    createSilence: (input, by) => createSilence(deps.transaction, input, by),
    endSilence: (id, by) => endSilence(deps.transaction, id, by),
    async investigateGroup(groupId, by) {
      submissions.count(by.name);
      return investigateGroup(upkeepDeps, groupId, by);
    },
    sources: Object.values(sources).map((source) => ({
      name: source.name,
      type: source.type,
      verification: verificationOf(source),
    })),
    canaries,
    subscribeGroups: changes.subscribe,
    runUpkeep: () => runUpkeep(upkeepDeps),
    async close() {
      changes.close();
      await rejections.flush();
    },
  };
}
