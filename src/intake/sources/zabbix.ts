import type { Severity } from '../../db/enums.ts';
import type { ParseDelivery } from '../delivery.ts';
import { readJson } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { parsedAlertOf, textWithout } from './template-keys.ts';

/** The severity for each of Zabbix's numbers 0 to 5. */
const SEVERITIES: readonly Severity[] = ['INFO', 'INFO', 'WARNING', 'WARNING', 'ERROR', 'CRITICAL'];

/** Reads a text; `null` for macros such as `{HOST.NAME}`, because Zabbix does not replace unknown macros. */
const text = textWithout(/^(?:\{\$?[A-Z][A-Z0-9_.]*\}\s*)+$/);

/** Parses Zabbix alerts with the media type of docs/intake.md. */
export const zabbix: ParseDelivery = (delivery) => {
  const body = readJson(delivery).requireObject();
  const parsed = parsedAlertOf((key) => body.at(key), text);
  const number = text(body.at('severity'));
  return toDelivery([
    {
      ...parsed,
      severity: number !== null && /^[0-5]$/.test(number) ? SEVERITIES[Number(number)]! : parsed.severity,
      labels: [...parsed.labels, ...tagsOf(text(body.at('tags')))],
    },
  ]);
};

/** Parses `{EVENT.TAGSJSON}`, a JSON list of tags and values. */
function tagsOf(json: string | null): [string, string][] {
  try {
    const tags: unknown = JSON.parse(json ?? '[]');
    if (!Array.isArray(tags)) return [];
    return tags.flatMap(({ tag, value }: { tag?: unknown; value?: unknown }): [string, string][] =>
      typeof tag === 'string' ? [[tag, typeof value === 'string' && value !== '' ? value : 'true']] : [],
    );
  } catch {
    return []; // an alert is valid without its tags
  }
}
