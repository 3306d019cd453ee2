import type { Logger } from 'pino';
import { type Actor, auditRow } from '../../audit.ts';
import { AlertTooLargeError, ShuttingDownError, ValidationError } from '../../common/errors.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { chainForAlertType } from '../../config/resolve.ts';
import type { ChainConfig, Config } from '../../config/types.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { checkRunbookUrl } from '../../runbooks/url.ts';
import { headlineOf } from '../alert/headline.ts';
import type { Headline, SessionSnapshot, SubmitAlertInput, SubmittedAlert } from '../api/engine.ts';
import { mended, requireStorable, shown } from '../common/storable-text.ts';
import type { NewSession } from '../store/sessions.ts';
import type { Admission } from './admission.ts';
import type { InsertSession } from './insert-batch.ts';
import { checkMcpSelection } from './mcp-selection.ts';

/** Numbers of the engine that are not configuration: each with its unit and its reason. */

/** Alert text, in UTF-8 bytes: the contract's limit. */
export const ALERT_MAX_BYTES = 1024 * 1024;

export interface SubmitDeps {
  db: Queryable;
  config: Config;
  masking: Masking;
  admission: Admission;
  /** Gives a stored session a slot if one is free. */
  offerSlot: () => Promise<void>;
  isShuttingDown: () => boolean;
  logger: Logger;
}

/** Longest fingerprint of a Slack message, in characters: it is searched for in messages of at most this size. */
const FINGERPRINT_MAX_LENGTH = 1000;

/**
 * Checks an alert, masks its secrets and stores it, which queues its investigation: whoever has a slot to give finds it.
 * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, ShuttingDownError
 */
export async function submitAlert(
  deps: SubmitDeps & { store: InsertSession },
  input: SubmitAlertInput,
  by: Actor,
): Promise<SubmittedAlert> {
  countAlert(deps, by.name); // before the work that a flood would cause
  const { session, notes } = await prepareSession(deps, input, by.name);
  const target = { type: 'Session', id: session.id };
  const row = await deps.store({ session, audit: auditRow(by, { action: 'session.submit', target }) });
  offerSlotToStored(deps, row);
  return { ...row, alertData: session.alertData, notes };
}

/** Counts an alert, or a delivery, of this sender. @throws ShuttingDownError, TooManyAlertsError */
export function countAlert(deps: Pick<SubmitDeps, 'admission' | 'isShuttingDown'>, author: string): void {
  if (deps.isShuttingDown()) throw new ShuttingDownError();
  deps.admission.countAlert(author);
}

/**
 * Checks an alert and masks its secrets, and that there is room for one more: what is left is to store it.
 * @throws ValidationError, AlertTooLargeError, TooManyAlertsError
 */
export async function prepareSession(
  deps: SubmitDeps,
  input: SubmitAlertInput,
  author: string,
  headline?: Headline,
): Promise<{ session: NewSession; notes: string[] }> {
  const alert = checkedText(input.data);
  const session = checkedSession(deps, { ...input, data: alert.text }, author, headline);
  await checkMcpSelection(deps.db, deps.config, session);
  await deps.admission.requireRoom();
  return { session, notes: alert.notes };
}

/** Gives a session that was stored, and committed, a slot if one is free. */
export function offerSlotToStored(
  deps: Pick<SubmitDeps, 'offerSlot' | 'logger'>,
  { id }: { id: string },
): void {
  // Stored is accepted: nobody waits for what follows, and an error in it would have the alert sent again.
  deps.offerSlot().catch((error: unknown) => {
    deps.logger.warn({ err: error, sessionId: id }, 'no slot given now, the next look for lost work does it');
  });
}

function checkedSession(
  { config, masking }: SubmitDeps,
  input: SubmitAlertInput,
  author: string,
  headline: Headline | undefined,
): NewSession {
  const { chain, alertType } = routeAlert(config, input.alertType ?? null);
  const runbookUrl = checkedRunbook(config, masking, input.runbookUrl?.trim() || null);
  const fingerprint = input.slackMessageFingerprint?.trim() || null;
  if (fingerprint !== null) checkFingerprint(fingerprint);
  const alertData = masking.maskAlert(input.data);
  return {
    id: uuidv7(),
    alertType,
    alertData,
    headline: headline ?? headlineOf(alertData),
    chainId: chain.id,
    author,
    team: input.team ?? chain.team,
    runbookUrl,
    mcpSelection: input.mcp ?? null,
    slackMessageFingerprint: fingerprint,
  };
}

/** The text of an alert as it can be stored, and what was changed for that. @throws AlertTooLargeError, ValidationError */
function checkedText(data: string): { text: string; notes: string[] } {
  const bytes = Buffer.byteLength(data);
  if (bytes > ALERT_MAX_BYTES) throw new AlertTooLargeError(ALERT_MAX_BYTES, bytes);
  const { text, replaced } = mended(data);
  if (/^[\s\ufffd]*$/.test(text))
    throw new ValidationError('The alert has no text. Send what fired, where and since when.', 'data');
  const what = replaced === 1 ? '1 character of the alert is' : `${replaced} characters of the alert are`;
  const note = `${what} no text (NUL or half of a surrogate pair) and became U+FFFD.`;
  return { text, notes: replaced === 0 ? [] : [note] };
}

/** The address as it is fetched and shown. One with a token in it would put that into prompts and on pages. */
function checkedRunbook(config: Config, masking: Masking, address: string | null): string | null {
  if (address === null) return null;
  const { href } = checkRunbookUrl(address, config.system.runbooks);
  if (masking.maskText(href, { groups: ['security'] }) === href) return href;
  const message = 'The runbook URL seems to hold a secret; send an address that needs none.';
  throw new ValidationError(message, 'runbookUrl');
}

function routeAlert(config: Config, alertType: string | null): { chain: ChainConfig; alertType: string } {
  const route = chainForAlertType(config, alertType);
  if (route) return route;
  const known = Object.values(config.chains)
    .flatMap(({ alertTypes }) => alertTypes)
    .sort();
  const what =
    alertType === null
      ? 'No alert type is given and there is no default'
      : `Unknown alert type "${shown(alertType)}"`;
  throw new ValidationError(`${what}. Known types: ${known.join(', ')}.`, 'alertType');
}

function checkFingerprint(fingerprint: string): void {
  requireStorable(fingerprint, 'slackMessageFingerprint');
  if (fingerprint.length <= FINGERPRINT_MAX_LENGTH) return;
  const message = `The fingerprint has ${fingerprint.length} characters, at most ${FINGERPRINT_MAX_LENGTH} are allowed.`;
  throw new ValidationError(message, 'slackMessageFingerprint');
}

/** The steps of a submission, for who stores sessions in a transaction of its own. */
export interface Submissions {
  /** Counts an alert, or a delivery of several, of this sender. @throws ShuttingDownError, TooManyAlertsError */
  count(author: string): void;
  /**
   * Checks and masks.
   * @param headline what the alert is about, masked; default: as its text says
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError when too many wait
   */
  prepare(input: SubmitAlertInput, author: string, headline?: Headline): Promise<NewSession>;
  /** To be called once its transaction has committed. */
  stored(session: SessionSnapshot): void;
}
