import { headlineOf } from '../../engine/alert/headline.ts';
import type { Delivery, ParseDelivery, ParsedDelivery } from '../delivery.ts';
import { ignored } from '../delivery.ts';
import { type JsonReader, jsonReader, parseJson, readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Parses CloudWatch alarms over SNS. A subscription request is shown to the operator; its address is never fetched. */
export const cloudwatch: ParseDelivery = (delivery, source) => {
  const envelope = readJson(delivery).requireObject();
  if (isRaw(delivery)) return alarmOf(envelope, null, null, source.insufficientData === 'fire');
  const type = envelope.at('Type').requireText();
  const deliveryKey = envelope.at('MessageId').requireText();
  if (type !== 'Notification') return ignored(requestOf(type, envelope), deliveryKey);
  const written = envelope.at('Message').requireText();
  const subject = envelope.at('Subject').text();
  const message = jsonOrNull(written);
  if (message?.at('AlarmName').exists)
    return alarmOf(message, deliveryKey, subject, source.insufficientData === 'fire');
  return toDelivery(
    [
      {
        fingerprint: [envelope.at('TopicArn').text(), subject ?? written],
        title: subject ?? written,
        severity: headlineOf(written).severity,
        state: 'FIRING',
        labels: [['topic', envelope.at('TopicArn').text()]],
        annotations: [['message', written]],
        startsAt: envelope.at('Timestamp').date(),
      },
    ],
    { deliveryKey },
  );
};

/** True for raw message delivery, which has neither envelope nor signature. */
export function isRaw({ headers }: Pick<Delivery, 'headers'>): boolean {
  return headers['x-amz-sns-rawdelivery'] === 'true';
}

/** Returns what the operator should do about a message that is no alarm. */
function requestOf(type: string, envelope: JsonReader): string {
  const topic = envelope.at('TopicArn').text() ?? 'a topic';
  if (type === 'SubscriptionConfirmation')
    return `SNS asks to confirm the subscription of ${topic}. Open this address to do so: ${envelope.at('SubscribeURL').text()}`;
  if (type === 'UnsubscribeConfirmation') return `The subscription of ${topic} was ended.`;
  return `A message of type ${type.slice(0, 60)} is no alarm.`;
}

function alarmOf(
  alarm: JsonReader,
  deliveryKey: string | null,
  subject: string | null,
  insufficientDataFires: boolean,
): ParsedDelivery {
  const name = alarm.at('AlarmName').requireText();
  const value = alarm.at('NewStateValue').requireText();
  if (value === 'INSUFFICIENT_DATA' && !insufficientDataFires)
    return ignored('INSUFFICIENT_DATA is no alert here (insufficient_data: ignore).', deliveryKey);
  const arn = alarm.at('AlarmArn').text();
  const account = alarm.at('AWSAccountId').text();
  const region = arn?.split(':')[3] ?? alarm.at('Region').text();
  const at = alarm.at('StateChangeTime').date();
  const state = value === 'OK' ? 'RESOLVED' : 'FIRING';
  const key = arn === null ? [account, region, name] : [arn];
  const trigger = alarm.at('Trigger');
  const parsed = {
    fingerprint: key,
    group: key,
    title: alarm.at('AlarmName').text() ?? subject,
    severity: 'UNKNOWN',
    state,
    labels: [
      ...trigger
        .at('Dimensions')
        .list()
        .map((dimension) => [dimension.at('name').text() ?? '', dimension.at('value').text()] as const),
      ['alarm', name] as const,
      ['namespace', trigger.at('Namespace').text()] as const,
      ['metric', trigger.at('MetricName').text()] as const,
      ['account', account] as const,
      ['region', region] as const,
    ],
    annotations: [
      ['description', alarm.at('AlarmDescription').text()] as const,
      ['reason', alarm.at('NewStateReason').text()] as const,
      ['rule', alarm.at('AlarmRule').text()] as const,
      ['threshold', trigger.at('Threshold').text()] as const,
      ['state', value] as const,
    ],
    startsAt: state === 'FIRING' ? at : null,
    endsAt: state === 'RESOLVED' ? at : null,
  } as const;
  return toDelivery([parsed], { deliveryKey });
}

function jsonOrNull(text: string): JsonReader | null {
  try {
    return jsonReader(parseJson(text), '$.Message');
  } catch {
    return null; // any text may be published to a topic
  }
}
