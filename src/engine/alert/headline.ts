import type { Headline } from '../api/engine.ts';
import { entitiesIn, entitiesSpokenOf } from './entities.ts';
import { isJson, jsonMembers, LOOKED_AT, lineMembers, type Member } from './members.ts';
import { severityIn, severitySpokenOf } from './severity.ts';
import { lineOf, titleIn, titleOfLines } from './title.ts';

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
  const severity = severityIn(members);
  const objects = objectOf(members);
  const entities = entitiesIn(members, objects === null ? [] : [objects]);
  const sentences = json === null ? beginning.slice(0, SENTENCES) : (title ?? '');
  return {
    title: title ?? NO_TITLE,
    severity: severity === 'UNKNOWN' ? severitySpokenOf(sentences) : severity,
    entities: entities.length > 0 ? entities : entitiesSpokenOf(sentences),
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
