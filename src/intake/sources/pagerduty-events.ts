import { createHash } from 'node:crypto';
import { severityOf } from '../../engine/alert/severity.ts';
import { ignored, type ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Parses events of PagerDuty's Events API v2, so that any sender that supports PagerDuty can send to TARSy. */
export const pagerdutyEvents: ParseDelivery = (delivery) => {
  const event = readJson(delivery);
  const action = event.at('event_action').requireText();
  const key = event.at('dedup_key').text();
  if (action === 'acknowledge')
    return {
      ...ignored('An acknowledgement changes nothing here.'),
      ...(key !== null && { senderKey: key }),
    };
  if (action !== 'trigger' && action !== 'resolve')
    throw unreadable('$.event_action', 'expected trigger, acknowledge or resolve');
  const state = action === 'trigger' ? 'FIRING' : 'RESOLVED';
  if (state === 'RESOLVED' && key === null) throw unreadable('$.dedup_key', 'is required to resolve');
  const payload = event.at('payload');
  if (state === 'FIRING') payload.requireObject().at('summary').requireText();
  // An event without a key is its own alert, identified by its hash, because repetitions have the same bytes.
  const senderKey = key ?? createHash('sha256').update(delivery.body).digest('hex');
  const links = event.at('links').list();
  const parsed = {
    fingerprint: [senderKey],
    title: payload.at('summary').text() ?? key,
    severity: severityOf(payload.at('severity').text()),
    state,
    labels: [...payload.pairs('source', 'component', 'group', 'class'), ...event.pairs('client')],
    annotations: [
      ...payload.at('custom_details').entries(),
      ...payload.pairs('custom_details'), // some senders write a text in place of a mapping
      ...links.map(
        (link, index) => [link.at('text').text() ?? `link ${index + 1}`, link.at('href').text()] as const,
      ),
      ...payload.pairs('timestamp'), // not the start, because a repeated trigger has its own time
    ],
    reportedAt: payload.at('timestamp').date(),
    url: event.at('client_url').text() ?? links[0]?.at('href').text() ?? null,
  } as const;
  return { ...toDelivery([parsed]), senderKey };
};
