import { aliased } from './aliases.ts';
import { createValues, type Values } from './encoded.ts';
import {
  added,
  append,
  type Context,
  type Fate,
  MARK,
  type MapNode,
  type Range,
  type Scalar,
} from './outline.ts';

const OPEN_KEYS = new Set(['apiVersion', 'kind', 'type', 'immutable']);
/** Everything else under a Secret's metadata got there by mistake. */
const METADATA_KEYS = new Set(
  'name namespace labels annotations uid resourceVersion creationTimestamp generation generateName ownerReferences managedFields finalizers selfLink deletionTimestamp deletionGracePeriodSeconds clusterName initializers'.split(
    ' ',
  ),
);
/** Under these keys stand names only: something else was put there by a broken line. */
const NAME_KEYS = ['name', 'namespace', 'generateName'];
const OBJECT_NAME = /^[a-z0-9.:-]*$/;
const SECRET_TYPE =
  /^(?:Opaque|kubernetes\.io\/(?:service-account-token|dockercfg|dockerconfigjson|basic-auth|ssh-auth|tls)|bootstrap\.kubernetes\.io\/token|helm\.sh\/release\.v\d+|helm\.sh\/.*)$/;
const OBJECT_METADATA = /^(?:name|namespace|creationTimestamp|resourceVersion|uid|annotations)$/;

const NAMES_SECRET = /kind[\\"'\s]{0,600}:[\\"'\s]{0,600}Secret/;

export interface Verdict {
  /** Something was found where it cannot belong. */
  isBroken: boolean;
  /** There is a Secret without data. */
  isTorn: boolean;
}

/**
 * Finds what is secret in the mappings of a text: the data of Secrets, and whatever in them has no business there.
 * @param torn there is a Secret without data outside the text
 * @param ranges gets the values and lines to mask
 * @param kinds gets the positions of the `kind` keys that were understood
 */
export function judge(
  text: string,
  maps: readonly MapNode[],
  torn: boolean,
  ranges: Range[],
  kinds: number[],
): Verdict {
  const namesSecret = NAMES_SECRET.test(text);
  const values = createValues(text, maps);
  const court: Court = { text, maps, values, torn: torn || null, stray: null, namesSecret, isBroken: false };
  const first = ranges.length;
  for (const map of maps) {
    if (map.context === null) decideChain(court, map);
    for (const { key, at, fate, scalars, loose, isUnclosed } of map.entries) {
      // A kind and nothing else is no object and no reference: its other lines were not recognised.
      if (key === 'kind' && map.entries.length > 1 && namesKind(text, scalars, loose)) kinds.push(at);
      const isTail = isUnclosed && fate !== 'scalar' && map.context === 'secret';
      court.isBroken ||= isTail && fate !== 'mask' && loose.length > 0;
      if (fate === 'mask' || isTail) {
        const whole = quotedWithRest(scalars, loose);
        if (whole) ranges.push(whole);
        append(ranges, scalars);
        append(ranges, loose);
      } else if (loose.length > 0 && court.namesSecret && scalars.some(({ quote }) => quote === '|'))
        append(ranges, loose);
    }
    for (const range of map.loose) {
      if (map.looseFate === 'mask' || (map.looseFate === 'suspect' && isSuspect(text, range)))
        ranges.push(range);
    }
  }
  append(ranges, aliased(text, maps, ranges, first));
  return { isBroken: court.isBroken, isTorn: namesSecret && hasTorn(court) };
}

/** A quoted value that goes on after its quotes, as one: what is left of it would be read in another way. */
function quotedWithRest(scalars: readonly Scalar[], loose: readonly Range[]): Range | null {
  const value = scalars[0];
  const rest = loose[0];
  if (!value || !rest || rest.start !== value.end + 1) return null;
  return value.quote === '"' || value.quote === "'" ? { start: value.start - 1, end: rest.end } : null;
}

interface Court {
  text: string;
  maps: readonly MapNode[];
  values: Values;
  /** Whether there is a Secret without data, so that another mapping may be its torn-off data; null = not asked yet. */
  torn: boolean | null;
  /** Whether something foreign stands in the midst of a mapping, which may have torn it apart; null = not asked yet. */
  stray: boolean | null;
  /** Whether a Secret is named anywhere in the text. */
  namesSecret: boolean;
  isBroken: boolean;
}

/** Decides on a mapping after all those around it. */
function decideChain(court: Court, map: MapNode): void {
  const chain: MapNode[] = [];
  for (let each: MapNode | null = map; each && each.context === null; each = each.parent) chain.push(each);
  for (let index = chain.length - 1; index >= 0; index--)
    chain[index]!.context = decide(court, chain[index]!);
}

function decide(court: Court, map: MapNode): Context {
  const above = map.parent?.context ?? 'none';
  const fate = map.parentEntry?.fate ?? 'keep';
  // No value is a text and a mapping: something foreign stands between the mapping and its key.
  const isStray = court.namesSecret && isUnderText(map);
  if (fate === 'mask' || fate === 'scalar' || (isStray && !isProper(map))) {
    court.isBroken ||= isStray;
    // Its keys may be pieces of a value that something foreign broke.
    if (isStray)
      for (const { key, at, scalars } of map.entries)
        map.loose = added(map.loose, { start: at, end: Math.max(at + key.length, scalars[0]?.end ?? 0) });
    map.looseFate = 'mask';
    setFates(map, () => 'mask');
    return 'secret';
  }
  if (fate === 'metadata') {
    const foreign = NAME_KEYS.filter((key) =>
      scalarsOf(court, map, key).some((name) => !OBJECT_NAME.test(name)),
    );
    setFates(map, (key) => (METADATA_KEYS.has(key) && !foreign.includes(key) ? 'keep' : 'mask'));
    return 'secret';
  }
  if ((map.marks & (MARK.kind | MARK.data)) === 0) return above;
  const isCut = endsInKind(court, map);
  const kinds = scalarsOf(court, map, 'kind').map((kind) =>
    isCut && 'SecretList'.startsWith(kind) ? 'Secret' : kind,
  );
  const untyped = kinds.length === 0 && above !== 'other' && hasData(map) && hasSecretType(court, map);
  if (kinds.includes('Secret') || untyped) {
    if (hasData(map) || has(map, MARK.metadata) || hasSecretType(court, map)) convict(map);
    return 'secret';
  }
  if (kinds.includes('SecretList')) return 'secret-list';
  if (kinds.includes('List')) return 'list';
  if (kinds.length > 0) return 'other';
  if (hasData(map)) decideWithoutKind(court, map, above);
  return above;
}

function decideWithoutKind(court: Court, map: MapNode, above: Context): void {
  if (above === 'other') return;
  if (above === 'secret-list') {
    convict(map);
    return;
  }
  const encoded = () =>
    map.entries.some(
      (entry) =>
        entry.key === 'data' &&
        court.values.isEncoded(entry) &&
        (above === 'list' ||
          map.isCut ||
          hasStray(court) ||
          isObject(court, map) ||
          court.values.isLast(entry)),
    );
  const hasStrings = map.entries.some(({ key }) => key === 'stringData');
  const masksData = above === 'secret' || hasStrings || isTorn(court) || encoded();
  setFates(map, (key) => (key === 'stringData' || (key === 'data' && masksData) ? 'mask' : 'keep'));
}

/** A Secret: what belongs there in clear is kept, all else is masked. */
function convict(map: MapNode): void {
  map.looseFate = 'suspect';
  setFates(map, (key) => {
    if (key === 'metadata') return 'metadata';
    return OPEN_KEYS.has(key) ? 'scalar' : 'mask';
  });
}

function setFates(map: MapNode, fate: (key: string) => Fate): void {
  for (const entry of map.entries) entry.fate = fate(entry.key);
}

function scalarsOf({ text }: Court, map: MapNode, key: string): string[] {
  const values: string[] = [];
  for (const entry of map.entries) {
    if (entry.key !== key) continue;
    for (const range of entry.scalars) values.push(plain(text, range));
    for (const range of entry.loose) values.push(plain(text, range));
  }
  return values;
}

/** Whether the text ends within a kind, so that there is more of it. */
function endsInKind({ text }: Court, map: MapNode): boolean {
  const last = map.entries.at(-1);
  if (last?.key !== 'kind') return false;
  const end = last.scalars.reduce((most, scalar) => Math.max(most, scalar.end), -1);
  return end >= 0 && end + 20 > text.length && text.slice(end).trim() === '';
}

const isProper = (map: MapNode) => has(map, MARK.version) && has(map, MARK.kind);

const has = (map: MapNode, mark: number) => (map.marks & mark) !== 0;
const hasData = (map: MapNode) => has(map, MARK.data);
const hasSecretType = (court: Court, map: MapNode) =>
  has(map, MARK.type) && scalarsOf(court, map, 'type').some((type) => SECRET_TYPE.test(type));

function isTorn(court: Court): boolean {
  court.torn ??= hasTorn(court);
  return court.torn;
}

function hasStray(court: Court): boolean {
  court.stray ??= court.namesSecret && court.maps.some(isUnderText);
  return court.stray;
}

const isUnderText = (map: MapNode) => (map.parentEntry?.scalars.length ?? 0) > 0;

function hasTorn(court: Court): boolean {
  return court.maps.some(
    (map) =>
      !hasData(map) &&
      has(map, MARK.metadata) &&
      has(map, MARK.kind) &&
      scalarsOf(court, map, 'kind').includes('Secret'),
  );
}

/** Whether a mapping without a kind looks like an object of Kubernetes all the same. */
function isObject(court: Court, map: MapNode): boolean {
  if (scalarsOf(court, map, 'apiVersion').includes('v1')) return true;
  const metadata = map.entries.filter(({ key }) => key === 'metadata').flatMap(({ maps }) => maps);
  return metadata.some(({ entries }) => entries.filter(({ key }) => OBJECT_METADATA.test(key)).length >= 2);
}

/** Whether the value of a `kind` key could be read to its end. */
function namesKind(text: string, scalars: readonly Range[], loose: readonly Range[]): boolean {
  const values = [...scalars, ...loose].map((range) => plain(text, range).replace(/^!!str\s+/, ''));
  return (
    values.some((value) => /^Secret(?:List)?$/.test(value)) ||
    (values.length > 0 && !values.some((value) => value.startsWith('Secret')))
  );
}

/** A scalar's text without quotes, tags, comments and what JSON puts after it. */
function plain(text: string, { start, end }: Range): string {
  return text
    .slice(start, Math.min(end, start + 200))
    .replace(/^["']|\s+#.*$/g, '')
    .replace(/[\s,"'\\]+$/, '');
}

/** A foreign line in a Secret that is no sentence: it may be the rest of a value, or a key that is broken and its value. */
function isSuspect(text: string, { start, end }: Range): boolean {
  const line = text.slice(start, end).trim();
  if (line.length < 8 || line.startsWith('#')) return false;
  return /["']\s{0,8}:/.test(line) || (!/\s/.test(line) && !/^[}\])>`|,;]+$/.test(line));
}
