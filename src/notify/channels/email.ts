import type { Socket } from 'node:net';
import type { NodemailerError, SMTPTransportOptions } from 'nodemailer';
import type { ChannelConfig } from '../../config/types.ts';
import type { Network } from '../../runbooks/network.ts';
import { checkedAddresses } from '../addresses.ts';
import { isTlsCode, SendError, type SendProblem } from '../failure.ts';
import type { Outgoing, Send } from './channel.ts';
import { html, plainText } from './email-text.ts';

type EmailConfig = Extract<ChannelConfig, { kind: 'email' }>;

/** Time without any answer of the SMTP server after which an attempt fails (ms). */
const SILENCE_MS = 15_000;

/** Returns a channel that sends mails by SMTP. @param password `null` without authentication */
export function emailChannel(network: Network, config: EmailConfig, password: string | null): Send {
  return async (outgoing, signal) => {
    const { host } = config;
    let connection: Socket | undefined;
    try {
      const addresses = await checkedAddresses(network, host, config, signal);
      // Loaded on demand, because most installations send no mail.
      const { createTransport } = await import('nodemailer');
      connection = await connect(network, addresses, config);
      const transport = createTransport({ ...transportOptions(config, password), connection });
      const sent = await transport.sendMail({ ...mailOf(config, outgoing), signal }); // closes the connection if aborted
      const refused = sent.rejected.length;
      return refused === 0 ? null : `The server refused ${refused} of ${config.to.length} receivers.`;
    } catch (error) {
      throw asSendError(error, host, signal);
    } finally {
      connection?.destroy();
    }
  };
}

/** Connects to the first of the checked addresses that answers, so that the name is not resolved again. */
function connect(
  network: Network,
  addresses: readonly string[],
  { host, port }: EmailConfig,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  network.connector(addresses)({ hostname: host, protocol: 'smtp:', port: String(port) }, (error, socket) =>
    error === null ? resolve(socket) : reject(error),
  );
  return promise;
}

function transportOptions(
  { host, port, security, username }: EmailConfig,
  password: string | null,
): SMTPTransportOptions {
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username !== null && password !== null && { auth: { user: username, pass: password } }),
    greetingTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Returns the mail. All mails of a session refer to one message id, so that mail programs show them as one thread. */
function mailOf({ from, to }: EmailConfig, { id, createdAt, notice }: Outgoing) {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const thread = notice.session && `<session.${notice.session.id}@${domain}>`;
  return {
    from: { name: 'TARSy', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: `[TARSy] ${notice.title}`,
    messageId: `<${id}@${domain}>`,
    ...(thread !== null && { inReplyTo: thread, references: [thread] }),
    date: createdAt,
    text: plainText(notice),
    html: html(notice),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-TARSy-Event': notice.event },
  };
}

function asSendError(error: unknown, host: string, signal: AbortSignal): SendError {
  if (error instanceof SendError) return error;
  const cause = { cause: error };
  if (signal.aborted) return new SendError(`${host} took too long.`, { code: 'TIMEOUT' }, cause);
  const {
    code: kind,
    originalCode: code = kind ?? 'unknown error',
    responseCode,
  } = error as Partial<NodemailerError>;
  if (isTlsCode(code)) return new SendError(`${host} offers no valid TLS (${code}).`, { code: 'TLS' }, cause);
  if (responseCode === undefined) {
    const problem: SendProblem = code === 'ETIMEDOUT' ? 'TIMEOUT' : 'UNREACHABLE';
    return new SendError(`${host} could not be reached (${code}).`, { code: problem }, cause);
  }
  // A refused password can be corrected, so that a later attempt succeeds.
  const isFinal = responseCode >= 500 && code !== 'EAUTH';
  const message = `${host} answered ${responseCode} (${code}).`;
  return new SendError(message, { code: `SMTP_${responseCode}`, isFinal }, cause);
}
