import type { SourceConfig } from '../../config/types.ts';
import { severityOf } from '../../engine/alert/severity.ts';
import { type Delivery, ignored, type ParseDelivery, type ParsedDelivery } from '../delivery.ts';
import { decodeUtf8, type JsonReader, readJson, type TextPair } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { stateOf } from './alert-state.ts';
import { parsePreset } from './presets.ts';
import { jsonObject, parsedMessage } from './text-alert.ts';

/**
 * Parses CloudWatch alarms over SNS. Shows a subscription request to the operator, and never opens the address in it.
 */
export const cloudwatch: ParseDelivery = (delivery, source) => {
  if (isRaw(delivery)) {
    const channel = delivery.headers['x-amz-sns-topic-arn'] ?? null;
    return notificationOf({ source, text: decodeUtf8(delivery.body), channel });
  }
  const envelope = readJson(delivery).requireObject();
  const type = envelope.at('Type').requireText();
  const deliveryKey = envelope.at('MessageId').requireText();
  if (type !== 'Notification') return ignored(requestOf(type, envelope), deliveryKey);
  return notificationOf({
    ...{ source, deliveryKey, text: envelope.at('Message').requireText() },
    ...{ channel: envelope.at('TopicArn').text(), subject: envelope.at('Subject').text() },
    sentAt: envelope.at('Timestamp').date(),
  });
};

interface Notification {
  source: SourceConfig;
  deliveryKey?: string;
  channel: string | null;
  subject?: string | null;
  text: string;
  sentAt?: Date | null;
}

/** Returns the alert of an alarm, of an event of EventBridge, or of any other message that a topic got. */
function notificationOf(notification: Notification): ParsedDelivery {
  const { source, deliveryKey = null, channel, subject = null, text, sentAt = null } = notification;
  const message = jsonObject(text, '$.Message');
  if (message?.at('AlarmName').exists) return alarmOf(message, source, deliveryKey);
  if (message?.at('detail-type').exists) return { ...parsePreset(message, 'eventbridge'), deliveryKey };
  const parsed = parsedMessage({ channel, subject, text });
  const at = parsed.startsAt ?? sentAt;
  return toDelivery([{ ...parsed, startsAt: parsed.state === 'FIRING' ? at : null, endsAt: at }], {
    deliveryKey,
  });
}

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

/** Reads an alarm. An alarm whose query has several contributors is one alert for each of them. */
function alarmOf(
  alarm: JsonReader,
  { insufficientData }: SourceConfig,
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
  const state = stateOf(value, ['OK']);
  const trigger = alarm.at('Trigger');
  const alarmKey = arn === null ? [account, region, name] : [arn];
  const contributor = alarm.at('AlarmContributorId').text();
  const tags = alarm.at('AlarmTags').entries();
  const parsed = {
    fingerprint: contributor === null ? alarmKey : [...alarmKey, contributor],
    group: alarmKey,
    title: name,
    severity: severityOf(tags.find(([tag]) => /^severity$/i.test(tag))?.[1]),
    state,
    labels: [
      ...tags,
      ...metricsOf(trigger).flatMap(dimensionsOf),
      ...alarm.at('AlarmContributorAttributes').entries(),
      ['alarm', name],
      ['namespace', joinedOf(trigger, 'Namespace')],
      ['metric', joinedOf(trigger, 'MetricName')],
      ['account', account],
      ['region', region],
    ],
    annotations: [
      ['description', alarm.at('AlarmDescription').text()],
      ['reason', alarm.at('NewStateReason').text()],
      ['rule', alarm.at('AlarmRule').text()],
      ['threshold', trigger.at('Threshold').text()],
      [
        'expression',
        trigger
          .at('Metrics')
          .list()
          .flatMap((each) => each.at('Expression').text() ?? [])
          .join('\n') || null,
      ],
      ['state', value],
    ],
    startsAt: state === 'FIRING' ? at : null,
    endsAt: at,
    reportedAt: at,
    url: consoleUrl(arn, name),
  } as const;
  return toDelivery([parsed], { deliveryKey });
}

/** Returns the metrics of an alarm: that of the trigger, or those that its expressions use. */
function metricsOf(trigger: JsonReader): JsonReader[] {
  const used = trigger
    .at('Metrics')
    .list()
    .map((each) => each.at('MetricStat', 'Metric'));
  return [trigger, ...used].filter(
    (metric) => metric.at('MetricName').exists || metric.at('Dimensions').exists,
  );
}

/** Returns a text that the metrics of an alarm share or, joined, the texts in which they differ. */
function joinedOf(trigger: JsonReader, key: string): string | null {
  return [...new Set(metricsOf(trigger).flatMap((metric) => metric.at(key).text() ?? []))].join(', ') || null;
}

function dimensionsOf(metric: JsonReader): TextPair[] {
  return metric
    .at('Dimensions')
    .list()
    .map((each) => [each.at('name').text() ?? '', each.at('value').text()]);
}

/** Console hosts by AWS partition. */
const CONSOLES: Readonly<Record<string, string>> = {
  aws: 'console.aws.amazon.com',
  'aws-cn': 'console.amazonaws.cn',
  'aws-us-gov': 'console.amazonaws-us-gov.com',
};

/** Returns the address of an alarm in the console; `null` without a region. */
function consoleUrl(arn: string | null, name: string): string | null {
  const [, partition = '', , region = ''] = arn?.split(':') ?? [];
  const host = CONSOLES[partition];
  if (host === undefined || !/^[a-z0-9-]+$/.test(region)) return null;
  return `https://${region}.${host}/cloudwatch/home?region=${region}#alarmsV2:alarm/${encodeURIComponent(name)}`;
}
