import type { Headline } from '../api/engine.ts';
import { entitiesFromMembers, entitiesInProse } from './entities.ts';
import { isJson, jsonMembers, lineMembers, MAX_LINE, MAX_TEXT, type Member, normalName } from './members.ts';
import { isSeverityWord, severityFromMembers, severityInProse } from './severity.ts';
import { titleAbout, toTitle } from './title.ts';

const FENCED = /^\s*```\w*\n([^`]+)```\s*$/;

/** Maximum characters of prose that are searched for entities and a severity. */
const MAX_PROSE = 4_000;

/** Returns the headline of an alert; its title names the affected entity. */
export function headlineOf(alert: string): Headline {
  const { title, severity, entities } = readHeadline(alert);
  return { title: titleAbout(title, entities), severity, entities };
}

/** Reads title, severity and entities from JSON, YAML, key-value lines, logs, chats or prose, in linear time. */
export function readHeadline(alert: string): Headline {
  const text = FENCED.exec(alert)?.[1] ?? alert;
  const json = jsonMembers(text);
  const beginning = text.slice(0, MAX_TEXT);
  const members = json ?? lineMembers(beginning);
  const title =
    (json === null ? titleOfLines(beginning, members) : titleFromMembers(members)) ?? firstMembers(members);
  const severity = severityFromMembers(members);
  const object = kubernetesObject(members);
  const entities = object === null ? entitiesFromMembers(members) : [object];
  const prose = json === null ? beginning.slice(0, MAX_PROSE) : (title ?? '');
  return {
    title: title ?? 'Alert without a title',
    severity: severity === 'UNKNOWN' ? severityInProse(prose) : severity,
    entities: entities.length > 0 ? entities : entitiesInProse(prose),
  };
}

/** Returns a source's title as one line; for JSON, the title read from its members. */
export function titleOf(text: string): string {
  return isJson(text) ? readHeadline(text).title : toTitle(text);
}

/** Returns the Kubernetes object of an event or a manifest; `null` if there is none. */
function kubernetesObject(members: readonly Member[]): string | null {
  const of = (within: string, name: string) =>
    members.find((member) => member.within === within && member.name === name)?.value;
  for (const [at, top] of [
    ['involvedobject', 'involvedobject'],
    ['regarding', 'regarding'],
    ['metadata', ''],
  ] as const) {
    const [kind, name, namespace] = [of(top, 'kind'), of(at, 'name'), of(at, 'namespace')];
    if (kind && name) return toTitle(`${kind} ${namespace ? `${namespace}/` : ''}${name}`);
  }
  return null;
}

function firstMembers(members: readonly Member[]): string | null {
  const shown = members.slice(0, 4).map(({ name, value }) => (name === '' ? value : `${name}: ${value}`));
  return toTitle(shown.join(', ')) || null;
}

/** Normalized names of members that may hold the title, the best first. */
const TITLE_NAMES =
  `title alerttitle eventtitle displaytitle descriptiontitle problemtitle eventdefinitiontitle summary subject headline
  alertname alarmname message msg monitorfriendlyname rulename alertrule searchname monitorname checkname triggername
  conditionname policyname eventname problem alert alarm rule event trigger output reason text body log description
  latestdescription details detail detailtype error errormessage exception fallback servicedesc name displayname check
  eventtypecode info`.split(/\s+/);

const RANK = new Map(TITLE_NAMES.map((name, rank) => [name, rank]));

/** Maximum depth of members that usually hold the title. Deeper ones count only if no other member has a title. */
const MAX_TITLE_DEPTH = 3;

function titleFromMembers(members: readonly Member[]): string | null {
  const weight = ({ name, depth }: Member) =>
    (depth > MAX_TITLE_DEPTH ? 1_000_000 : 0) + RANK.get(name)! * 100 + depth;
  const [best] = members
    .filter(({ name, value }) => RANK.has(name) && isMeaningful(value))
    .sort((a, b) => weight(a) - weight(b));
  return best === undefined ? null : plainText(best.value) || null;
}

function isMeaningful(value: string): boolean {
  return (
    /\p{L}/u.test(value) && !isJson(value) && !/^(?:https?:\/\/\S*|true|false|null|none)$/i.test(value.trim())
  );
}

/**
 * Returns the first line as the title. If the first line is a `key: value` pair, returns the title from the
 * members.
 */
function titleOfLines(text: string, members: readonly Member[]): string | null {
  const lines = text
    .split('\n')
    .values()
    .filter((line) => !isFrame(line));
  const [first, second = ''] = lines.take(2);
  if (first === undefined || isJson(text)) return titleFromMembers(members);
  return (isMember(first, second) ? titleFromMembers(members) : null) ?? plainText(first);
}

/** True for lines without prose: horizontal rules, code fences, table borders, YAML `---`, Slack mentions. */
function isFrame(line: string): boolean {
  return !/[\p{L}\p{N}]/u.test(line) || /^\s*(?:```|~~~)\w*\s*$/.test(line) || plainText(line) === '';
}

const KEY =
  /^\s*(?:[-*+>]\s+)?[*_`"']{0,3}([\p{L}_][\p{L}\p{N}_./-]{0,40})[*_`"']{0,3}\s*(?::[*_`]{0,2}(?=\s|$)|=|\|)/u;

/**
 * Returns true if the line is a `key: value` pair and not a sentence: its key is known, or further pairs
 * follow.
 */
function isMember(line: string, next: string): boolean {
  const key = keyOf(line);
  if (key === null || isSeverityWord(key)) return false;
  const logfmtPairs = line.slice(0, MAX_LINE).match(/(?:^|\s)[\w.-]+=(?:"|\S)/g)?.length ?? 0;
  return RANK.has(normalName(key)) || keyOf(next) !== null || logfmtPairs > 1;
}

function keyOf(line: string): string | null {
  const beginning = line.slice(0, MAX_LINE).replace(/^\s*\|\s*/, '');
  return KEY.exec(beginning)?.[1] ?? KEY.exec(plainText(line))?.[1] ?? null;
}

const TIME = String.raw`\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?`;

const LOG_PREFIXES = [
  /^<\d{1,3}>(?:1 )?/, // syslog priority
  new RegExp(`^${TIME}[\\s:|-]*`),
  /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:\d\d:\d\d\s+/,
  /^[EWIF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+\s+/, // klog
];

/** Removes formatting and the prefix of a log line. */
function plainText(line: string): string {
  let text = line
    .slice(0, MAX_LINE)
    .replace(/<(?:!(?:here|channel|everyone)|[@#][A-Z0-9]+(?:\|[^>]*)?)>/g, '')
    .replace(/<(?:https?|mailto):[^|>\s]*\|([^>]*)>/g, '$1')
    .replace(/<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>/gi, '')
    .replace(/!?\[([^\]]*)\]\((?:[^()\s]*)\)/g, '$1')
    .replace(/(?<![\w:]):[a-z][a-z0-9_+-]+:(?![\w:])/g, '')
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)|~~/g, '')
    .replace(/^[\s|>]*(?:#{1,6}|[-+•]|\d+[.)])?\s+/, '')
    .replace(/^[\s#|>]+/, '')
    .trim();
  for (const prefix of LOG_PREFIXES) text = text.replace(prefix, '');
  return toTitle(text.replace(/^(?:subject|re|fwd?):\s+/i, '').replace(/\s*\|\s*$/, ''));
}
