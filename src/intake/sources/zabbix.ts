import type { Severity } from '../../db/enums.ts';
import type { ParseDelivery } from '../delivery.ts';
import { jsonOfDelivery, type Reader } from '../json-reader.ts';
import { delivered } from '../parsed-alert.ts';
import { draftOf, ownKeys } from './template-keys.ts';

/** By Zabbix' numbers, 0 to 5. */
const SEVERITIES: readonly Severity[] = ['INFO', 'INFO', 'WARNING', 'WARNING', 'ERROR', 'CRITICAL'];

/** Zabbix, with the media type of docs/intake.md. */
export const zabbix: ParseDelivery = (delivery) => {
  const body = jsonOfDelivery(delivery).requireObject();
  const draft = draftOf(ownKeys(body), text);
  const number = text(body.at('severity'));
  const tags = tagsOf(text(body.at('tags')));
  return delivered([
    {
      ...draft,
      severity: number !== null && /^[0-5]$/.test(number) ? SEVERITIES[Number(number)]! : draft.severity,
      labels: [...draft.labels, ...tags],
    },
  ]);
};

/** `{EVENT.TAGSJSON}`: a list of tags and values, as text. */
function tagsOf(json: string | null): [string, string][] {
  try {
    const tags: unknown = JSON.parse(json ?? '[]');
    if (!Array.isArray(tags)) return [];
    return tags.flatMap(({ tag, value }: { tag?: unknown; value?: unknown }): [string, string][] =>
      typeof tag === 'string' ? [[tag, typeof value === 'string' && value !== '' ? value : 'true']] : [],
    );
  } catch {
    return []; // tags help, an alert without them is one all the same
  }
}

/** A macro that Zabbix could not resolve arrives as it was written: absent. */
function text(reader: Reader): string | null {
  const value = reader.text();
  return value === null || /^(?:\{\$?[A-Z][A-Z0-9_.]*\}\s*)+$/.test(value.trim()) ? null : value;
}
