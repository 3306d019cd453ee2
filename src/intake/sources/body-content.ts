import { normalName } from '../../engine/alert/members.ts';
import type { TextPair } from '../json-reader.ts';
import { partsOfPairs } from '../keys.ts';
import { identifyingText } from './identifying-text.ts';

/** The values of a body that no key of a format explains. */
export interface BodyContent {
  /** Short values by name, for rules and for agents. */
  readonly labels: TextPair[];
  /** Texts that distinguish the body's alert from others: no times, states, severities and measurements. */
  readonly identity: string[];
  /** The parts of `identity` that are names, not prose: texts without spaces. */
  readonly names: string[];
  /** Values of members that name a state. */
  readonly states: string[];
  readonly isEmpty: boolean;
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: string | number | bigint | boolean;
}

/** Limits, so that a hostile body costs no more than a large one. */
const MAX_LEAVES = 2_000;
const MAX_DEPTH = 8;
const MAX_CONTENT_LABELS = 60;
const MAX_LABEL_CHARACTERS = 200;

/** Depth of members that may name the state of the whole alert. */
const STATE_DEPTH = 3;

/** Last words of names whose values change with each delivery of an alert. */
const CHANGING =
  words(`time times timestamp date datetime at ts since until duration elapsed age uptime count counter
  total seq sequence nonce signature started ended updated created started_at delay offset timezone message_id event_id
  request_id delivery_id trace_id span_id correlation_id notification_id occurrence_id sid token`);

/** Last words of names whose values are the state of an alert, or how bad it is. */
const STATES = words(
  'state status transition conclusion resolved firing acknowledged severity priority urgency level',
);
const STATE_LABELS = words('statename statetype severitylabel severitytext severityname priorityname');

/** Names of members that tell the state of an alert. */
const STATE_NAMES =
  words(`state status newstate newstatevalue currentstate currentstatus alertstate alertstatus
  servicestate hoststate statename problemstate problemstatus transition alerttransition notificationtype eventaction
  action conclusion monitorcondition`);

/** Last words of names whose numbers identify a thing. Other numbers are measurements. */
const NUMBERED = words('id key number no port node shard partition index instance');

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Names of members whose URL says what an alert is about. URLs in other members are mere links. */
const ADDRESSED = words('url uri endpoint target address site instance host');

/** Reads the values of any JSON. @param used paths such as `check.name` that a format explains, with all below them */
export function contentOf(body: unknown, used: ReadonlySet<string> = new Set()): BodyContent {
  const leaves = [...leavesOf(body)].filter(({ path }) => !isUsed(path, used));
  const labels = new Map<string, string>();
  const identity: [path: string, text: string][] = [];
  const states: string[] = [];
  for (const leaf of leaves) {
    const name = nameOf(leaf.path);
    const text = String(leaf.value).trim();
    if (leaf.path.length <= STATE_DEPTH && isStateName(leaf.path)) states.push(text);
    if (!identifies(leaf, name)) continue;
    const part = identifyingText(text);
    if (part !== '') identity.push([leaf.path.join('.'), part]);
    if (labels.size >= MAX_CONTENT_LABELS || text.length > MAX_LABEL_CHARACTERS || text.includes('\n'))
      continue;
    labels.set(labels.has(name) ? leaf.path.join('.') : name, text);
  }
  return {
    labels: [...labels],
    identity: partsOfPairs(identity),
    names: partsOfPairs(identity.filter(([, part]) => !/\s/.test(part))),
    states,
    isEmpty: leaves.length === 0,
  };
}

function* leavesOf(body: unknown): Generator<Leaf> {
  let left = MAX_LEAVES;
  function* walk(value: unknown, path: readonly string[]): Generator<Leaf> {
    if (left <= 0 || path.length > MAX_DEPTH || value === null || value === undefined) return;
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) yield* walk(item, [...path, `${index}`]);
    else if (typeof value === 'object') {
      for (const [name, child] of Object.entries(value)) yield* walk(child, [...path, name]);
    } else if (typeof value !== 'string' || value.trim() !== '') {
      left--;
      yield { path, value: value as Leaf['value'] };
    }
  }
  yield* walk(body, []);
}

function isUsed(path: readonly string[], used: ReadonlySet<string>): boolean {
  return used.size > 0 && path.some((_, index) => used.has(path.slice(0, index + 1).join('.')));
}

/** Returns the name of a value; for a list's item, the name of the list. */
function nameOf(path: readonly string[]): string {
  return path.findLast((step) => !/^\d+$/.test(step)) ?? 'text';
}

function isStateName(path: readonly string[]): boolean {
  const [name, within = ''] = path.toReversed();
  const normal = normalName(name ?? '');
  return STATE_NAMES.has(normal) || (normal === 'value' && STATE_NAMES.has(normalName(within)));
}

/** True if a value says which alert a body is about. */
function identifies({ path, value }: Leaf, name: string): boolean {
  const parts = wordsOf(name);
  const last = parts.at(-1) ?? '';
  if (typeof value === 'boolean' || CHANGING.has(last) || CHANGING.has(parts.slice(-2).join('_')))
    return false;
  if (isStateName(path) || STATE_LABELS.has(normalName(name))) return false;
  if (path.some((step) => STATES.has(wordsOf(step).at(-1) ?? ''))) return false;
  if (typeof value !== 'string') return NUMBERED.has(last);
  const text = value.trim();
  if (path.length === 1 && last === 'id' && UUID.test(text)) return false; // the id of the delivery
  return !/^https?:\/\//i.test(text) || ADDRESSED.has(normalName(name));
}

/** Returns the words of a name: `incident_id`, `incidentId` and `incident-id` are two words. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 100)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}
