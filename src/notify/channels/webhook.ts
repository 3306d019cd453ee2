import { Webhook } from 'standardwebhooks';
import type { GuardedPost } from '../guarded-request.ts';
import type { Notice } from '../notice.ts';
import type { Outgoing, Send } from './channel.ts';

export interface WebhookOptions {
  url: URL;
  /** Secrets (`whsec_…`). Each of them signs, so that a receiver can change to another one without loss. */
  secrets: readonly string[];
  allowPrivate: boolean;
  /** URL of the dashboard, which identifies this installation. */
  source: string;
}

/** Returns a channel that posts each notification as a CloudEvent, signed as Standard Webhooks specifies. */
export function webhookChannel(post: GuardedPost, options: WebhookOptions): Send {
  const { url, allowPrivate, secrets, source } = options;
  const signers = secrets.map((secret) => new Webhook(secret));
  return async (outgoing, signal) => {
    const { id } = outgoing;
    const body = JSON.stringify(cloudEvent(outgoing, source));
    const now = new Date();
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': signers.map((signer) => signer.sign(id, now, body)).join(' '),
    };
    await post({ url, headers, body, allowPrivate }, signal);
    return null;
  };
}

/** Returns the CloudEvent (JSON format, version 1.0) of a notification. */
function cloudEvent({ id, createdAt, notice }: Outgoing, source: string): object {
  const { event, ...data } = notice;
  return {
    specversion: '1.0',
    id,
    source,
    type: `tarsy.${event}`,
    ...subjectOf(notice),
    time: createdAt.toISOString(),
    datacontenttype: 'application/json',
    data,
  };
}

function subjectOf({ session, call }: Notice): { subject?: string } {
  if (call) return { subject: `approvals/${call.approvalId}` };
  return session ? { subject: `sessions/${session.id}` } : {};
}
