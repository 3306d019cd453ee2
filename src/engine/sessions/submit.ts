import type { Logger } from 'pino';
import { type Actor, auditRow } from '../../audit.ts';
import { AlertTooLargeError, ShuttingDownError, ValidationError } from '../../common/errors.ts';
import { printableExcerpt } from '../../common/printable.ts';
import { replaceUnstorable, requireStorable } from '../../common/storable.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { chainForAlertType } from '../../config/resolve.ts';
import type { ChainConfig, Config } from '../../config/types.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { checkRunbookUrl } from '../../runbooks/url.ts';
import { headlineOf } from '../alert/headline.ts';
import type { Headline, SessionSnapshot, SubmitAlertInput, SubmittedAlert } from '../api/engine.ts';
import type { NewSession } from '../store/sessions.ts';
import type { Admission } from './admission.ts';
import type { InsertSession } from './insert-batch.ts';
import { checkMcpSelection } from './mcp-selection.ts';

/** Maximum size of an alert's text (UTF-8 bytes): a limit of the API contract. */
const ALERT_MAX_BYTES = 1024 * 1024;

export interface SubmitDeps {
  db: Queryable;
  config: Config;
  masking: Masking;
  admission: Admission;
  /** Gives a free slot to a waiting session. */
  offerSlot: () => Promise<void>;
  isShuttingDown: () => boolean;
  logger: Logger;
}

/** Maximum length of a Slack message fingerprint (characters): the search reads as much of a message. */
const FINGERPRINT_MAX_LENGTH = 1000;

/**
 * Accepts an alert:
 * 1. refuses it if this process is shutting down or the sender exceeds its rate limit, before any expensive work
 * 2. validates text, alert type, runbook address, fingerprint and tool selection
 * 3. masks its secrets
 * 4. refuses it if too many sessions wait
 * 5. stores the session and its audit record, which queues the investigation
 * 6. offers the session a free slot, without waiting for that
 * @throws ValidationError, AlertTooLargeError, TooManyAlertsError, ShuttingDownError
 */
export async function submitAlert(
  deps: SubmitDeps & { insertSession: InsertSession },
  input: SubmitAlertInput,
  by: Actor,
): Promise<SubmittedAlert> {
  countAlert(deps, by.name);
  const { session, notes } = await prepareSession(deps, input, by.name);
  const target = { type: 'Session', id: session.id };
  const row = await deps.insertSession({
    session,
    audit: auditRow(by, { action: 'session.submit', target }),
  });
  offerSlotToStored(deps, row);
  return { ...row, alertData: session.alertData, notes };
}

/** Counts one alert, or one delivery of several, for a sender. @throws ShuttingDownError, TooManyAlertsError */
export function countAlert(deps: Pick<SubmitDeps, 'admission' | 'isShuttingDown'>, author: string): void {
  if (deps.isShuttingDown()) throw new ShuttingDownError();
  deps.admission.countAlert(author);
}

/**
 * Validates an alert, masks its secrets and checks the queue's limit. The caller stores the session.
 * @param headline title, severity and entities, already masked; default: derived from the text
 * @returns the session, and notes for the sender about replaced characters
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

/** Offers a slot to a session that is stored and committed. */
export function offerSlotToStored(
  deps: Pick<SubmitDeps, 'offerSlot' | 'logger'>,
  { id }: { id: string },
): void {
  // Not awaited and never failing, because the alert is accepted and an error would make its sender repeat it.
  deps.offerSlot().catch((error: unknown) => {
    deps.logger.warn({ err: error, sessionId: id }, 'slot not offered, the next recovery offers it');
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

/** Returns an alert's text with unstorable characters replaced, and a note about them. @throws AlertTooLargeError, ValidationError */
function checkedText(data: string): { text: string; notes: string[] } {
  const bytes = Buffer.byteLength(data);
  if (bytes > ALERT_MAX_BYTES) throw new AlertTooLargeError(ALERT_MAX_BYTES, bytes);
  const { text, replaced } = replaceUnstorable(data);
  if (/^[\s\ufffd]*$/.test(text))
    throw new ValidationError('The alert has no text. Send what fired, where and since when.', 'data');
  const subject = replaced === 1 ? '1 character of the alert is' : `${replaced} characters of the alert are`;
  const note = `${subject} no text (NUL or half of a surrogate pair) and became U+FFFD.`;
  return { text, notes: replaced === 0 ? [] : [note] };
}

/** Returns the normalized runbook address. Refuses secrets in it, because prompts and pages show the address. */
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
  const problem =
    alertType === null
      ? 'No alert type is given and there is no default'
      : `Unknown alert type "${printableExcerpt(alertType)}"`;
  throw new ValidationError(`${problem}. Known types: ${known.join(', ')}.`, 'alertType');
}

function checkFingerprint(fingerprint: string): void {
  requireStorable(fingerprint, 'slackMessageFingerprint');
  if (fingerprint.length <= FINGERPRINT_MAX_LENGTH) return;
  const message = `The fingerprint has ${fingerprint.length} characters, at most ${FINGERPRINT_MAX_LENGTH} are allowed.`;
  throw new ValidationError(message, 'slackMessageFingerprint');
}

/** The steps of a submission, for callers that store sessions in their own transaction. */
export interface Submissions {
  /** Counts one alert, or one delivery of several, for a sender. @throws ShuttingDownError, TooManyAlertsError */
  count(author: string): void;
  /**
   * Validates and masks an alert.
   * @param headline title, severity and entities, already masked; default: derived from the text
   * @throws ValidationError, AlertTooLargeError, TooManyAlertsError when too many wait
   */
  prepare(input: SubmitAlertInput, author: string, headline?: Headline): Promise<NewSession>;
  /** Must be called after the transaction has committed. */
  stored(session: SessionSnapshot): void;
}
