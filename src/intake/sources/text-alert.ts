import { headlineOf } from '../../engine/alert/headline.ts';
import { type JsonReader, jsonReader, parseJson, type TextPair } from '../json-reader.ts';
import type { ParsedAlert } from '../parsed-alert.ts';
import { readTitle } from './alert-state.ts';
import { contentOf } from './body-content.ts';
import { identifyingText } from './identifying-text.ts';
import { explainedKeys, parsedAlertOf } from './template-keys.ts';

/** A message that is any text, with the name of its channel. */
export interface TextMessage {
  readonly channel: string | null;
  readonly subject: string | null;
  readonly text: string;
}

/**
 * Reads an alert from a message. Channel, subject and content identify the alert. For plain text, a subject with a
 * state, such as `[RESOLVED] Disk full`, replaces the content, because the content differs between the states.
 */
export function parsedMessage({ channel, subject, text }: TextMessage): ParsedAlert {
  const json = jsonObject(text);
  const labels: TextPair[] = [['topic', channel]];
  const annotations: TextPair[] = [['message', text]];
  const mark = readTitle(subject ?? text);
  if (json !== null) {
    const parsed = parsedAlertOf({ whole: json });
    const content = contentOf(json.value, explainedKeys(json, ['body']));
    return {
      ...parsed,
      fingerprint: [channel, ...(subject === null ? [] : [identifyingText(subject)]), ...parsed.fingerprint],
      title: subject ?? parsed.title,
      state: mark.state === null || content.states.length > 0 ? parsed.state : mark.state,
      labels: [...parsed.labels, ...labels],
      annotations: [...(parsed.annotations ?? []).filter(([name]) => name !== 'body'), ...annotations],
    };
  }
  const about = subject === null ? [] : [identifyingText(subject)];
  return {
    fingerprint: [
      channel,
      ...about,
      ...(about.length > 0 && mark.state !== null ? [] : [identifyingText(text)]),
    ],
    title: subject ?? headlineOf(text).title,
    severity: headlineOf(text).severity,
    state: mark.state ?? 'FIRING',
    labels,
    annotations,
  };
}

/** Returns the JSON object in a text; `null` if the text is none. */
export function jsonObject(text: string, path = '$'): JsonReader | null {
  try {
    const value = parseJson(text, path);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? jsonReader(value, path)
      : null;
  } catch {
    return null; // any text may be sent
  }
}
