import { headlineOf } from '../../engine/alert/headline.ts';
import { type Delivery, ignored, type ParseDelivery, type ParsedDelivery } from '../delivery.ts';
import { type JsonReader, jsonReader, parseJson, readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';

/** Parses CloudWatch alarms over SNS. The operator sees a subscription request; TARSy never opens its address. */
export const cloudwatch: ParseDelivery = (delivery, { insufficientData }) => {
  const envelope = readJson(delivery).requireObject();
  if (isRaw(delivery)) return alarmOf(envelope, insufficientData);
  const type = envelope.at('Type').requireText();
  const deliveryKey = envelope.at('MessageId').requireText();
  if (type !== 'Notification') return ignored(requestOf(type, envelope), deliveryKey);
  const written = envelope.at('Message').requireText();
  const subject = envelope.at('Subject').text();
  const topic = envelope.at('TopicArn').text();
  const message = jsonOrNull(written);
  if (message?.at('AlarmName').exists) return alarmOf(message, insufficientData, deliveryKey);
  const parsed = {
    fingerprint: [topic, subject ?? written],
    title: subject ?? written,
    severity: headlineOf(written).severity,
    state: 'FIRING',
    labels: [['topic', topic]],
    annotations: [['message', written]],
    startsAt: envelope.at('Timestamp').date(),
  } as const;
  return toDelivery([parsed], { deliveryKey });
};

/** True if SNS delivers the raw message, which has neither envelope nor signature. */
export function isRaw({ headers }: Pick<Delivery, 'headers'>): boolean {
  return headers['x-amz-sns-rawdelivery'] === 'true';
}

/** Returns a text for the operator about a message that is no alarm, such as a request to confirm a subscription. */
function requestOf(type: string, envelope: JsonReader): string {
  const topic = envelope.at('TopicArn').text() ?? 'a topic';
  if (type === 'SubscriptionConfirmation')
    return `SNS asks to confirm the subscription of ${topic}. Open this address to do so: ${envelope.at('SubscribeURL').text()}`;
  if (type === 'UnsubscribeConfirmation') return `The subscription of ${topic} was ended.`;
  return `A message of type ${type.slice(0, 60)} is no alarm.`;
}

function alarmOf(
  alarm: JsonReader,
  insufficientData: 'fire' | 'ignore',
  deliveryKey: string | null = null,
): ParsedDelivery {
  const name = alarm.at('AlarmName').requireText();
  const value = alarm.at('NewStateValue').requireText();
  if (value === 'INSUFFICIENT_DATA' && insufficientData !== 'fire')
    return ignored('INSUFFICIENT_DATA is no alert here (insufficient_data: ignore).', deliveryKey);
  const arn = alarm.at('AlarmArn').text();
  const account = alarm.at('AWSAccountId').text();
  const region = arn?.split(':')[3] ?? alarm.at('Region').text();
  const at = alarm.at('StateChangeTime').date();
  const state = value === 'OK' ? 'RESOLVED' : 'FIRING';
  const trigger = alarm.at('Trigger');
  const dimensions = trigger.at('Dimensions').list();
  const parsed = {
    fingerprint: arn === null ? [account, region, name] : [arn],
    title: name,
    severity: 'UNKNOWN',
    state,
    labels: [
      ...dimensions.map((each) => [each.at('name').text() ?? '', each.at('value').text()] as const),
      ['alarm', name],
      ['namespace', trigger.at('Namespace').text()],
      ['metric', trigger.at('MetricName').text()],
      ['account', account],
      ['region', region],
    ],
    annotations: [
      ['description', alarm.at('AlarmDescription').text()],
      ['reason', alarm.at('NewStateReason').text()],
      ['rule', alarm.at('AlarmRule').text()],
      ['threshold', trigger.at('Threshold').text()],
      ['state', value],
    ],
    startsAt: state === 'FIRING' ? at : null,
    endsAt: at,
    reportedAt: at,
  } as const;
  return toDelivery([parsed], { deliveryKey });
}

function jsonOrNull(text: string): JsonReader | null {
  try {
    return jsonReader(parseJson(text), '$.Message');
  } catch {
    return null; // not JSON, because any text may be published to a topic
  }
}
