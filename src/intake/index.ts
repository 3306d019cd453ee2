import type { Logger } from 'pino';
import type { Actor } from '../audit.ts';
import { chainForAlertType } from '../config/resolve.ts';
import type { Config, SourceConfig } from '../config/types.ts';
import type { AlertGroupRow, SilenceRow } from '../db/entities/index.ts';
import type { Queryable } from '../db/queryable.ts';
import type { SessionSnapshot, SharedStream, SubmittedAlert } from '../engine/api/engine.ts';
import { overBudgetReason } from '../engine/features/budgets/budgets.ts';
import { createPolledChanges, type PolledRows } from '../engine/live/polled-changes.ts';
import type { Masking } from '../masking/masking.ts';
import type { Warnings } from '../warnings.ts';
import { API_SOURCE, type DecisionDeps } from './apply-decision.ts';
import { CANARY_SOURCE } from './canary/alert.ts';
import { type Canaries, createCanaries } from './canary/index.ts';
import type { Delivery, IncomingAlert, SourceRef } from './delivery.ts';
import { investigateGroup } from './investigate-group.ts';
import { keyOf } from './keys.ts';
import { maskAndRule } from './mask-alerts.ts';
import { type DeliveryResult, processDelivery } from './process-delivery.ts';
import { createRejections } from './rejections.ts';
import { createFindRuling, type RuledAlert } from './rules.ts';
import { createSilenceCoverage, type SilenceCoverage } from './silence-coverage.ts';
import { createSilence, endSilence, type NewSilence } from './silences.ts';
import { parseDelivery } from './sources/index.ts';
import { type Submission, type Submitter, submitWithKeys } from './submit.ts';
import { runUpkeep } from './upkeep.ts';
import { createCertificates } from './verify/certificates.ts';
import { type Verification, verificationOf, verifyDelivery } from './verify/index.ts';
import type { SubmitterOf } from './verify/token.ts';

export interface IntakeDeps
  extends Pick<DecisionDeps, 'transaction' | 'submissions' | 'dispatch' | 'notifySlack'> {
  config: Config;
  /** A connection pool only for intake, so that slow intake and slow API reads do not delay each other. */
  db: Queryable;
  masking: Masking;
  submitterOf: SubmitterOf;
  logger: Logger;
  warnings: Warnings;
}

export interface TakenDelivery extends DeliveryResult {
  /** Why the delivery contains no alert; `null` if it contains some. */
  ignored: string | null;
  notes: readonly string[];
  /** The sender's own key of the alert, for the HTTP response; `null` if the source type does not return one. */
  senderKey: string | null;
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
  submit(submission: Submission, by: Submitter): Promise<SubmittedAlert>;
  /** @throws ValidationError, SilenceExistsError */
  createSilence(input: NewSilence, by: Actor): Promise<SilenceRow>;
  /** @throws NotFoundError, ConflictError */
  endSilence(id: string, by: Actor): Promise<SilenceRow>;
  silenceCoverage: SilenceCoverage;
  /** Investigates a group now. @throws NotFoundError, ConflictError, TooManyAlertsError, ShuttingDownError */
  investigateGroup(groupId: string, by: Actor): Promise<SessionSnapshot>;
  /** The sources in the order of the configuration, then the canary's source. */
  sources: readonly { name: string; type: string; verification: Verification }[];
  canaries: Canaries;
  subscribeGroups(): SharedStream<AlertGroupRow>;
  /** Runs the periodic work that no delivery triggers; any process may run it. */
  runUpkeep(): Promise<void>;
  close(): Promise<void>;
}

export function createIntake(deps: IntakeDeps): Intake {
  const { db, masking, submissions, submitterOf, transaction, logger } = deps;
  const { intake, access, budgets, defaults } = deps.config;
  const chainOf = (alertType: string | null) => chainForAlertType(deps.config, alertType)?.chain;
  const certificateOf = createCertificates();
  const findRuling = createFindRuling(intake, (alertType) => chainOf(alertType)?.team ?? null);
  const rejections = createRejections({ db, logger });
  const decisionDeps = {
    ...deps,
    config: intake,
    defaultAlertType: defaults.alertType,
    findRuling,
    isKnownType: (alertType: string) => chainOf(alertType) !== undefined,
    overBudget: (tx: Queryable, subject: Parameters<DecisionDeps['overBudget']>[1]) =>
      overBudgetReason(tx, budgets, subject),
  };
  const canaries = createCanaries({ ...decisionDeps, notifications: deps.config.notifications });
  const sources: Readonly<Record<string, SourceConfig>> = {
    ...intake.sources,
    ...(canaries.source && { [CANARY_SOURCE]: canaries.source }),
  };
  const changes = createPolledChanges<AlertGroupRow>({ db, logger }, GROUPS);

  /** Makes a key unique to a team, so that senders of other teams cannot refer to the same alert or group. */
  const teamKey = (team: string | null, key: string) => (team === null ? key : keyOf(team, key));

  /** Makes a key unique to a team, and to the submitter if they do not see the team's alerts and groups. */
  const submittedKey = (team: string | null, key: string, by: Submitter) =>
    by.sees(team) ? teamKey(team, key) : keyOf(team, by.name, key);

  /**
   * Masks alerts, finds their rulings and assigns them to teams. Alerts of different teams never share a group, because
   * a shared group would show one team's alerts to the other. A token's team takes precedence over rules.
   * @param by who submits the alerts; `null` for deliveries, whose source tells its alerts apart
   */
  function rule(
    alerts: readonly IncomingAlert[],
    source: SourceRef,
    sender: string | null,
    by: Submitter | null,
  ): RuledAlert[] {
    return maskAndRule({ masking, findRuling }, alerts, source).map(({ alert, ruling }) => {
      const team = sender ?? ruling.team;
      const keyTeam = access.teams === null ? sender : team;
      const groupKey = by ? submittedKey(keyTeam, ruling.groupKey, by) : teamKey(keyTeam, ruling.groupKey);
      const fingerprint = by
        ? submittedKey(keyTeam, alert.fingerprint, by)
        : teamKey(sender, alert.fingerprint);
      return { ...alert, fingerprint, severity: ruling.severity, ruling: { ...ruling, team, groupKey } };
    });
  }

  return {
    sourceOf: (name) => (Object.hasOwn(sources, name) ? sources[name]! : null),
    async take(source, delivery) {
      const { team } = await verifyDelivery(delivery, source, { certificateOf, submitterOf });
      submissions.count({ kind: 'source', name: source.name });
      const parsed = parseDelivery(delivery, source);
      const { ignored, notes, senderKey = null, mayReuseStart = false, leftOut = null } = parsed;
      if (ignored !== null) logger.info({ source: source.name, why: ignored }, 'delivery without alerts');
      const deliveryKey = parsed.deliveryKey && teamKey(team, parsed.deliveryKey);
      const alerts = rule(parsed.alerts, source, team, null);
      const result = await processDelivery(decisionDeps, { source, deliveryKey, alerts, mayReuseStart });
      if (leftOut !== null)
        rejections.add({ source: source.name, code: 'UNREADABLE_DELIVERY', message: leftOut });
      return { ...result, ignored, notes, senderKey };
    },
    reject: (source, { code, message }) => rejections.add({ source: source.name, code, message }),
    async submit(submission, by) {
      submissions.count({ kind: 'viewer', name: by.name });
      const ruled = (alert: IncomingAlert, alertType: string | null) =>
        rule([alert], { name: API_SOURCE, alertType }, submission.team ?? null, by)[0]!;
      return submitWithKeys(decisionDeps, ruled, submission, by);
    },
    createSilence: (input, by) => createSilence(transaction, input, by),
    endSilence: (id, by) => endSilence(transaction, id, by),
    silenceCoverage: createSilenceCoverage(decisionDeps),
    async investigateGroup(groupId, by) {
      submissions.count({ kind: 'viewer', name: by.name });
      return investigateGroup(decisionDeps, groupId, by);
    },
    sources: Object.values(sources).map((source) => ({
      name: source.name,
      type: source.type,
      verification: verificationOf(source),
    })),
    canaries,
    subscribeGroups: changes.subscribe,
    runUpkeep: () => runUpkeep(decisionDeps),
    async close() {
      changes.close();
      await rejections.flush();
    },
  };
}

/** Polls for groups with a new decision, because every change of a group is stored with a decision. */
const GROUPS: PolledRows = {
  topic: 'alertGroups',
  everyMs: 250, // lists then show a change within a second, including the time of their query
  changed: `select group_id as id, id as version from (
      select distinct on (group_id) id, group_id, at from intake_decisions
      where at > now() - make_interval(secs => $1) and group_id is not null order by group_id, at desc, id desc
    ) d order by at, id`,
  rows: 'select to_jsonb(g) as row from alert_groups g where id = any($1::uuid[]) order by last_received_at, id',
};
