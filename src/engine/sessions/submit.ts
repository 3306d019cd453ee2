import type { Logger } from 'pino';
import { type Actor, auditRow } from '../../audit.ts';
import { AlertTooLargeError, ShuttingDownError, ValidationError } from '../../common/errors.ts';
import { printableExcerpt } from '../../common/printable.ts';
import { replaceUnstorable } from '../../common/storable.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { chainForAlertType } from '../../config/resolve.ts';
import type { ChainConfig, Config } from '../../config/types.ts';
import type { Queryable } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import { checkRunbookUrl } from '../../runbooks/url.ts';
import { headlineOf } from '../alert/headline.ts';
import type { Headline, SessionSnapshot, SubmitAlertInput, SubmittedAlert } from '../api/engine.ts';
import type { Observer } from '../api/observer.ts';
import { checkUserText } from '../common/user-text.ts';
import type { NewSession } from '../store/sessions.ts';
import type { Admission } from './admission.ts';
import type { InsertSession } from './insert-batch.ts';
import { checkMcpSelection } from './mcp-selection.ts';

/** Maximum size of an alert's text (UTF-8 bytes): a limit of the API contract. */
const ALERT_MAX_BYTES = 1024 * 1024;

/** Maximum length of a Slack message fingerprint (characters), because the search reads no more of a message. */
const FINGERPRINT_MAX_LENGTH = 1000;

interface SubmitDeps {
  db: Queryable;
  config: Config;
  masking: Masking;
  admission: Admission;
  insertSession: InsertSession;
  offerSlot: () => Promise<void>;
  isShuttingDown: () => boolean;
  observer: Observer;
  logger: Logger;
}

/** The client whose alerts are counted together. Kinds are apart, because a user may have the name of a source. */
interface AlertSender {
  kind: 'viewer' | 'source';
  name: string;
}

/** The steps of a submission, for callers that store sessions in their own transaction. */
export type Submissions = Omit<ReturnType<typeof createSubmissions>, 'submitAlert'>;

export function createSubmissions(deps: SubmitDeps) {
  const submissions = {
    /** Counts one alert, or one delivery of several, for a sender. @throws ShuttingDownError, TooManyAlertsError */
    count({ kind, name }: AlertSender): void {
      if (deps.isShuttingDown()) throw new ShuttingDownError();
      deps.admission.countAlert(`${kind} ${name}`);
    },
    /**
     * Validates an alert, masks its secrets and checks the queue's limit.
     * @param headline title, severity and entities, already masked; default: derived from the text
     * @throws ValidationError, AlertTooLargeError, TooManyAlertsError
     */
    async prepare(input: SubmitAlertInput, author: string, headline?: Headline): Promise<NewSession> {
      const session = checkedSession(deps, input, author, headline);
      await checkMcpSelection(deps.db, deps.config, session);
      await deps.admission.requireRoom();
      return session;
    },
    /** Offers a slot to a session that is stored and committed. */
    stored(session: SessionSnapshot): void {
      deps.observer.metrics.sessionSubmitted(session);
      deps.observer.tracing.submitted(session.id, { 'tarsy.alert.type': session.alertType });
      // Neither awaits nor throws, because the alert is accepted and its sender would repeat it after an error.
      deps.offerSlot().catch((error: unknown) => {
        const fields = { err: error, sessionId: session.id };
        deps.logger.warn(fields, 'slot not offered, the next recovery offers it');
      });
    },
  };
  return {
    ...submissions,
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
    async submitAlert(input: SubmitAlertInput, by: Actor): Promise<SubmittedAlert> {
      submissions.count({ kind: 'viewer', name: by.name });
      const session = await submissions.prepare(input, by.name);
      const target = { type: 'Session', id: session.id };
      const audit = auditRow(by, { action: 'session.submit', target });
      const row = await deps.insertSession({ session, audit });
      submissions.stored(row);
      return { ...row, alertData: session.alertData, notes: notesOn(input.data) };
    },
  };
}

function checkedSession(
  { config, masking }: SubmitDeps,
  input: SubmitAlertInput,
  author: string,
  headline: Headline | undefined,
): NewSession {
  const text = checkedText(input.data);
  const { chain, alertType } = routeAlert(config, input.alertType ?? null);
  const runbookUrl = checkedRunbook(config, masking, input.runbookUrl?.trim() || null);
  const fingerprint = input.slackMessageFingerprint?.trim() || null;
  if (fingerprint !== null)
    checkUserText({
      ...{ text: fingerprint, field: 'slackMessageFingerprint' },
      ...{ name: 'fingerprint', maxLength: FINGERPRINT_MAX_LENGTH },
    });
  const alertData = masking.maskAlert(text);
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

/** Returns an alert's text with unstorable characters replaced. @throws AlertTooLargeError, ValidationError */
function checkedText(data: string): string {
  const bytes = Buffer.byteLength(data);
  if (bytes > ALERT_MAX_BYTES) throw new AlertTooLargeError(ALERT_MAX_BYTES, bytes);
  const { text } = replaceUnstorable(data);
  if (/^[\s\ufffd]*$/.test(text))
    throw new ValidationError('The alert has no text. Send what fired, where and since when.', 'data');
  return text;
}

/** Returns notes for the sender about replaced characters. */
function notesOn(data: string): string[] {
  const { replaced } = replaceUnstorable(data);
  if (replaced === 0) return [];
  const subject = replaced === 1 ? '1 character of the alert is' : `${replaced} characters of the alert are`;
  return [`${subject} invalid (NUL or half of a surrogate pair) and became U+FFFD.`];
}

/** Returns the normalized runbook address. Refuses secrets in it, because prompts and pages show the address. */
function checkedRunbook(config: Config, masking: Masking, address: string | null): string | null {
  if (address === null) return null;
  const { href } = checkRunbookUrl(address, config.system.runbooks);
  if (masking.maskText(href, { groups: ['security'] }) === href) return href;
  const message = 'The runbook URL seems to contain a secret; send a URL without one.';
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
