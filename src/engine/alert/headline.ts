import type { Headline } from '../api/engine.ts';
import { mended } from '../common/storable-text.ts';
import { entitiesFromMembers, entitiesInProse } from './entities.ts';
import {
  isJson,
  jsonMembers,
  LINE_LOOKED_AT,
  LOOKED_AT,
  lineMembers,
  type Member,
  normalName,
} from './members.ts';
import { isSeverityWord, severityFromMembers, severityInProse } from './severity.ts';

/** A text that is one block of code, as chats hold what was pasted. */
const FENCED = /^\s*```\w*\n([^`]+)```\s*$/;

/** Characters in which sentences are looked at for names and how bad it is. */
const SENTENCES = 4_000;

const NO_TITLE = 'Alert without a title';

/**
 * Reads what an alert's text is about: JSON of any monitoring system, YAML and `key: value` lines, log lines, messages of
 * Slack, Markdown, sentences. Pure, and linear in the text's length.
 */
export function headlineOf(alert: string): Headline {
  const text = FENCED.exec(alert)?.[1] ?? alert;
  const json = jsonMembers(text);
  const beginning = text.slice(0, LOOKED_AT);
  const members = json ?? lineMembers(beginning);
  const title = (json === null ? titleOfLines(beginning, members) : titleIn(members)) ?? plainest(members);
  const severity = severityFromMembers(members);
  const objects = objectOf(members);
  const entities = entitiesFromMembers(members, objects === null ? [] : [objects]);
  const sentences = json === null ? beginning.slice(0, SENTENCES) : (title ?? '');
  return {
    title: title ?? NO_TITLE,
    severity: severity === 'UNKNOWN' ? severityInProse(sentences) : severity,
    entities: entities.length > 0 ? entities : entitiesInProse(sentences),
  };
}

/** A title that a source gives: as it is, unless it is JSON. */
export function titleOf(text: string): string {
  return isJson(text) ? headlineOf(text).title : lineOf(text);
}

/** An object of Kubernetes: what an event is about, or what the text itself describes. */
function objectOf(members: readonly Member[]): string | null {
  const of = (within: string, name: string) =>
    members.find((member) => member.within === within && member.name === name)?.value;
  for (const [at, top] of [
    ['involvedobject', 'involvedobject'],
    ['regarding', 'regarding'],
    ['metadata', ''],
  ] as const) {
    const [kind, name, space] = [of(top, 'kind'), of(at, 'name'), of(at, 'namespace')];
    if (kind && name) return lineOf(`${kind} ${space ? `${space}/` : ''}${name}`);
  }
  return null;
}

/** Without a member that tells: the first ones. */
function plainest(members: readonly Member[]): string | null {
  const told = members.slice(0, 4).map(({ name, value }) => (name === '' ? value : `${name}: ${value}`));
  return lineOf(told.join(', ')) || null;
}

/** Characters of a title: one line of a list. */
const TITLE_MAX_LENGTH = 200;

/** Text on one line, as it can be stored, and no longer than a title; what is cut ends with `…`. */
export function lineOf(text: string): string {
  const { text: line } = mended(
    text
      .slice(0, 5_000)
      .replace(/[\s\u0085]+/g, ' ')
      .trim(),
  );
  return line.length <= TITLE_MAX_LENGTH ? line : `${mended(line.slice(0, TITLE_MAX_LENGTH - 1)).text}…`;
}

/** Names of what tells alerts apart, the most telling first: of monitoring systems, of logs, of events. */
const TITLES =
  `title alerttitle eventtitle displaytitle descriptiontitle problemtitle eventdefinitiontitle summary subject headline
  alertname alarmname message msg monitorfriendlyname rulename alertrule searchname monitorname checkname triggername
  conditionname policyname eventname problem alert alarm rule event trigger output reason text body log description
  latestdescription details detail detailtype error errormessage exception fallback servicedesc name displayname check
  eventtypecode info`.split(/\s+/);

const RANK = new Map(TITLES.map((name, rank) => [name, rank]));

/** Members deeper than this are about a part of the alert: they count where nothing else tells. */
const NEAR = 3;

/** The title that members tell; null = none does. */
export function titleIn(members: readonly Member[]): string | null {
  const weight = ({ name, depth }: Member) => (depth > NEAR ? 1_000_000 : 0) + RANK.get(name)! * 100 + depth;
  const telling = members
    .filter(({ name, value }) => RANK.has(name) && isTelling(value))
    .sort((a, b) => weight(a) - weight(b));
  return telling[0] === undefined ? null : cleaned(telling[0].value) || null;
}

function isTelling(value: string): boolean {
  return (
    /\p{L}/u.test(value) && !isJson(value) && !/^(?:https?:\/\/\S*|true|false|null|none)$/i.test(value.trim())
  );
}

/** The title of a text of lines: its first, or, when that is one member of several, what tells best of them. */
export function titleOfLines(text: string, members: readonly Member[]): string | null {
  const lines = text
    .split('\n')
    .values()
    .filter((line) => !isFrame(line));
  const [first, second = ''] = lines.take(2);
  if (first === undefined) return titleIn(members);
  if (isJson(text)) return titleIn(members);
  return (isMember(first, second) ? titleIn(members) : null) ?? cleaned(first);
}

/** What only frames a text: rules, fences, the lines of tables, document marks, greetings of Slack. */
function isFrame(line: string): boolean {
  return !/[\p{L}\p{N}]/u.test(line) || /^\s*(?:```|~~~)\w*\s*$/.test(line) || cleaned(line) === '';
}

const KEY =
  /^\s*(?:[-*+>]\s+)?[*_`"']{0,3}([\p{L}_][\p{L}\p{N}_./-]{0,40})[*_`"']{0,3}\s*(?::[*_`]{0,2}(?=\s|$)|=|\|)/u;

/** Whether a line is a member of the alert and no sentence: its name is known, or the next line is one likewise. */
function isMember(line: string, next: string): boolean {
  const key = keyOf(line);
  if (key === null || isSeverityWord(key)) return false;
  return RANK.has(normalName(key)) || keyOf(next) !== null || isLogfmt(line);
}

function keyOf(line: string): string | null {
  const begun = line.slice(0, LINE_LOOKED_AT);
  return KEY.exec(begun.replace(/^\s*\|\s*/, ''))?.[1] ?? KEY.exec(cleaned(line))?.[1] ?? null;
}

function isLogfmt(line: string): boolean {
  return (line.slice(0, LINE_LOOKED_AT).match(/(?:^|\s)[\w.-]+=(?:"|\S)/g)?.length ?? 0) > 1;
}

const TIME = String.raw`\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?`;

const LOG_PREFIXES = [
  /^<\d{1,3}>(?:1 )?/, // syslog's number
  new RegExp(`^${TIME}[\\s:|-]*`),
  /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:\d\d:\d\d\s+/,
  /^[EWIF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+\s+/, // klog
];

/** A line without what formats it: for a list that nothing may format. */
function cleaned(line: string): string {
  let text = line
    .slice(0, LINE_LOOKED_AT)
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
  return lineOf(text.replace(/^(?:subject|re|fwd?):\s+/i, '').replace(/\s*\|\s*$/, ''));
}
