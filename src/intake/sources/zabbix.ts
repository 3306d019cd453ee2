import type { Severity } from '../../db/enums.ts';
import { normalName } from '../../engine/alert/members.ts';
import type { ParseDelivery } from '../delivery.ts';
import { type JsonReader, jsonReader } from '../json-reader.ts';
import { toDelivery } from '../parsed-alert.ts';
import { readTitle } from './alert-state.ts';
import { readBody } from './read-body.ts';
import { splitTag } from './tags.ts';
import { parsedAlertOf, textWithout } from './template-keys.ts';

/** The severity for each of Zabbix's numbers 0 to 5. */
const SEVERITIES: readonly Severity[] = ['INFO', 'INFO', 'WARNING', 'WARNING', 'ERROR', 'CRITICAL'];

/** Values of an event that mean resolved: `{EVENT.VALUE}` is 1 for a problem and 0 after its recovery. */
const OVER = ['0', 'ok', 'resolved', 'recovery', 'recovered', 'closed'];

/** Reads a text; `null` for macros such as `{HOST.NAME}`, because Zabbix does not replace unknown macros. */
const text = textWithout(/^(?:\{\$?[A-Z][A-Z0-9_.]*\}\s*)+$/);

/** The line with the id of the event in Zabbix's default messages about a problem and its recovery. */
const ORIGINAL_PROBLEM = /^Original problem ID: (\d{1,30})\s*$/m;

/** Normalized names of the keys, the best first: those of the documented media type, and Zabbix's own parameters. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  title: ['title', 'eventname', 'alertsubject', 'subject', 'triggername', 'name'],
  severity: [
    'severity',
    'eventnseverity',
    'triggernseverity',
    'nseverity',
    'eventseverity',
    'triggerseverity',
  ],
  state: ['state', 'eventvalue', 'triggervalue', 'value', 'eventstatus', 'triggerstatus', 'status'],
  episode: ['episode', 'eventid', 'event'],
  trigger: ['triggerid', 'trigger'],
  host: ['hostname', 'hosthost', 'host', 'hostid'],
  ip: ['hostip', 'hostconn', 'ip'],
  tags: ['tags', 'eventtagsjson', 'eventtags'],
  opdata: ['opdata', 'eventopdata'],
  message: ['alertmessage', 'message', 'triggerdescription'],
  url: ['url', 'link', 'zabbixlink', 'triggerurl'],
  address: ['zabbixurl'],
};

/** Keys that the parser reads in another way, or that add no information. */
const OTHERS = [
  'fingerprint',
  'group',
  'labels',
  'annotations',
  'to',
  'sendto',
  'token',
  'startsat',
  'endsat',
];
const EXPLAINED = new Set([...Object.values(NAMES).flat(), ...OTHERS]);

/** Parses Zabbix alerts, with the documented media type or another one that sends Zabbix's own parameters. */
export const zabbix: ParseDelivery = (delivery) => {
  const body = readBody(delivery).requireObject();
  const byName = new Map(body.entries().map(([name]) => [normalName(name), body.at(name)]));
  const at = (key: string): JsonReader => {
    const readers = (NAMES[key] ?? [normalName(key)]).flatMap((name) => byName.get(name) ?? []);
    return readers.find((reader) => text(reader) !== null) ?? readers[0] ?? jsonReader(undefined);
  };
  const own = (key: string) => text(at(key));
  const used = new Set(body.entries().flatMap(([name]) => (EXPLAINED.has(normalName(name)) ? [name] : [])));
  const parsed = parsedAlertOf({ whole: body, at, used, textOf: text, over: OVER });
  const [trigger, host, number] = [own('trigger'), own('host'), own('severity')];
  const event = parsed.episode ?? ORIGINAL_PROBLEM.exec(own('message') ?? '')?.[1] ?? null;
  const given = own('fingerprint');
  const alert = given !== null ? [given] : [trigger ?? readTitle(parsed.title ?? '').rest, host];
  return toDelivery([
    {
      ...parsed,
      // A trigger may have several problems at a time, each with the id of its event.
      fingerprint: event === null ? alert : [...alert, event],
      group: parsed.group ?? alert,
      episode: event,
      severity: number !== null && /^[0-5]$/.test(number) ? SEVERITIES[Number(number)]! : parsed.severity,
      labels: [
        ...Object.entries({ host, ip: own('ip'), trigger }),
        ...parsed.labels.filter(([, value]) => value !== null),
        ...tagsOf(at('tags')),
      ],
      annotations: [...(parsed.annotations ?? []), ['opdata', own('opdata')], ['message', own('message')]],
      objectId: event,
      url: parsed.url ?? eventUrl(own('address'), trigger, event),
    },
  ]);
};

/** Returns the address of an event in Zabbix; `null` without the macro {$ZABBIX.URL}. */
function eventUrl(address: string | null, trigger: string | null, event: string | null): string | null {
  if (address === null || trigger === null || event === null) return null;
  const query = new URLSearchParams({ triggerid: trigger, eventid: event });
  return `${address.replace(/\/+$/, '')}/tr_events.php?${query}`;
}

/** Parses `{EVENT.TAGSJSON}`, a list of tags and values or its JSON. Another text is a list such as `team:storage, disk`. */
function tagsOf(reader: JsonReader): [string, string][] {
  const written = text(reader);
  if (written !== null && !/^[[{]/.test(written)) return written.split(/,\s*/).map(splitTag);
  try {
    const tags: unknown = written === null ? reader.value : JSON.parse(written);
    if (!Array.isArray(tags)) return [];
    return tags.flatMap(({ tag, value }: { tag?: unknown; value?: unknown }): [string, string][] =>
      typeof tag === 'string' ? [[tag, typeof value === 'string' && value !== '' ? value : 'true']] : [],
    );
  } catch {
    return []; // an alert is valid without its tags
  }
}
