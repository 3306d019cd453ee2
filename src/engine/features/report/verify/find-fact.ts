import { isAttribute, isFieldOfSubject, isValueOfEntry } from './attribute.ts';
import { holdsValue, readTarget, type Target } from './claimed-value.ts';
import { findWhole } from './names.ts';
import { type Node, overlapping } from './node.ts';
import type { Place } from './place.ts';
import { isSaid, isTimeOfLine, STATES } from './prose.ts';
import { isSample } from './record.ts';
import { isOfSubject } from './subject.ts';
import type { ClaimedFact } from './types.ts';

export interface Proof {
  field: Node;
  /**
   * True if the row of the proof itself identifies the attribute, as a metric sample does. Facts about one
   * subject may then come from different rows.
   */
  isPinned: boolean;
}

export type Finding =
  | { isShown: true; proofs: Proof[] }
  | { isShown: false; reason: 'NOT_SHOWN' | 'OTHER_SUBJECT' | 'OTHER_VALUE' };

/**
 * Searches a quoted passage for a fact: for its value, in a field or clause about its attribute and its
 * subject.
 */
export function findFact(fact: ClaimedFact, place: Place): Finding {
  const target = readTarget(fact);
  const found = [...overlapping(place.root, place)].filter(({ node }) => node.text !== '');
  const fields = found.map(({ node }) => node);
  const whole = new Set(found.flatMap(({ node, isWhole }) => (isWhole ? [node] : [])));
  const named = fields.filter((field) => names(fact, field, place));
  const ofSubject = named.filter((field) => isOfSubject(fact, field, place));
  const holds = (field: Node) => holdsValue(target, field, { place, isWhole: whole.has(field) });
  if (fact.negated) {
    const known = ofSubject.filter((field) => whole.has(field));
    return known.length < ofSubject.length ? NOT_SHOWN : findDenied(target, known, place);
  }
  const shown = ofSubject.filter(holds);
  if (shown.length > 0) {
    const isPinned = (field: Node) => isSample(field) || isValueOfEntry(fact.attribute, field);
    return { isShown: true, proofs: shown.map((field) => ({ field, isPinned: isPinned(field) })) };
  }
  const said = fields.filter((field) => isSaid(fact, target, field, place));
  const isPinned = !STATES.test(fact.attribute.trim()) && !isTimeOfLine(fact);
  if (said.length > 0) return { isShown: true, proofs: said.map((field) => ({ field, isPinned })) };
  if (named.some(holds)) return { isShown: false, reason: 'OTHER_SUBJECT' };
  return ofSubject.length > 0 ? { isShown: false, reason: 'OTHER_VALUE' } : NOT_SHOWN;
}

const NOT_SHOWN: Finding = { isShown: false, reason: 'NOT_SHOWN' };

/**
 * Searches for the proof of a negated fact: the fields of its attribute have known values, and none holds the
 * denied value.
 */
function findDenied(target: Target, fields: readonly Node[], place: Place): Finding {
  const isUnknown = fields.some(({ text }) => UNKNOWN.test(text.trim()));
  const isHeld = fields.some(
    (field) =>
      holdsValue(target, field, { place, isWhole: true }) || findWhole(field.text, target.text).length > 0,
  );
  if (fields.length === 0 || isUnknown) return NOT_SHOWN;
  if (isHeld) return { isShown: false, reason: 'OTHER_VALUE' };
  return { isShown: true, proofs: fields.map((field) => ({ field, isPinned: false })) };
}

const UNKNOWN = /^(?:<?(?:unknown|none|nil|null|n\/a|undefined|never)>?|-|\?)?$/i;

function names({ subject, attribute }: ClaimedFact, field: Node, { call }: Place): boolean {
  return (
    isAttribute(attribute, field, call.words) ||
    isFieldOfSubject(subject, attribute, field) ||
    isValueOfEntry(attribute, field)
  );
}
