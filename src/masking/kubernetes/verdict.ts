import { isMaskedWithin } from '../masks.ts';
import { isEncoded } from './encoded.ts';
import { append, type Context, type Fate, MARK, type MapNode, type Range } from './outline.ts';

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

/**
 * Finds what is secret in the mappings of a text: the data of Secrets, and whatever in them has no business there.
 * @param ranges gets the values and lines to mask
 * @param kinds gets the positions of the `kind` keys that were understood
 * @returns whether all of it was read cleanly; if not, more may be secret than was found
 */
export function judge(text: string, maps: readonly MapNode[], ranges: Range[], kinds: number[]): boolean {
  let isClean = true;
  for (const map of maps) {
    if (map.context === null) decideChain(text, map);
    isClean &&= isReadCleanly(text, map);
    for (const { key, at, fate, scalars, loose } of map.entries) {
      // A kind and nothing else is no object and no reference: its other lines were not recognised.
      if (key === 'kind' && map.entries.length > 1 && namesKind(text, scalars, loose)) kinds.push(at);
      if (fate !== 'mask') continue;
      append(ranges, scalars);
      append(ranges, loose);
    }
    if (map.looseFate === 'mask') append(ranges, map.loose);
  }
  return isClean;
}

/** Whether a mapping holds nothing that fits no form, as far as it is or may be a part of a Secret. */
function isReadCleanly(text: string, map: MapNode): boolean {
  // No value is a text and a mapping: something foreign stands between the mapping and its key.
  if ((map.parentEntry?.scalars.length ?? 0) > 0) return false;
  const accepts = map.context === 'secret' ? isHarmless : isPlain;
  for (const { isUnclosed, loose } of map.entries) {
    if (isUnclosed || !(loose.length === 0 || loose.every((range) => accepts(text, range)))) return false;
  }
  return map.loose.every((range) => isPlain(text, range));
}

/** Decides on a mapping after all those around it. */
function decideChain(text: string, map: MapNode): void {
  const chain: MapNode[] = [];
  for (let each: MapNode | null = map; each && each.context === null; each = each.parent) chain.push(each);
  for (const each of chain.reverse()) each.context = decide(text, each);
}

function decide(text: string, map: MapNode): Context {
  const above = map.parent?.context ?? 'none';
  const fate = map.parentEntry?.fate ?? 'keep';
  if (fate === 'mask' || fate === 'scalar') {
    map.looseFate = 'mask';
    setFates(map, () => 'mask');
    return 'secret';
  }
  if (fate === 'metadata') {
    const foreign = NAME_KEYS.filter((key) =>
      scalarsOf(text, map, key).some((name) => !OBJECT_NAME.test(name)),
    );
    setFates(map, (key) => (METADATA_KEYS.has(key) && !foreign.includes(key) ? 'keep' : 'mask'));
    return 'secret';
  }
  if ((map.marks & (MARK.kind | MARK.data)) === 0) return above;
  const isCut = endsInKind(text, map);
  const kinds = scalarsOf(text, map, 'kind').map((kind) =>
    isCut && 'SecretList'.startsWith(kind) ? 'Secret' : kind,
  );
  const untyped = kinds.length === 0 && above !== 'other' && has(map, MARK.data) && hasSecretType(text, map);
  if (kinds.includes('Secret') || untyped) {
    if (has(map, MARK.data) || has(map, MARK.metadata) || hasSecretType(text, map)) convict(map);
    return 'secret';
  }
  if (kinds.includes('SecretList')) return 'secret-list';
  if (kinds.includes('List')) return 'list';
  if (kinds.length > 0) return 'other';
  if (has(map, MARK.data) && above !== 'other') decideWithoutKind(text, map, above);
  return above;
}

/** What has data but no kind may be a Secret whose kind is cut off. */
function decideWithoutKind(text: string, map: MapNode, above: Context): void {
  if (above === 'secret-list') {
    convict(map);
    return;
  }
  const masksData =
    above === 'secret' ||
    map.entries.some(
      (entry) => entry.key === 'stringData' || (entry.key === 'data' && isEncoded(text, entry)),
    );
  setFates(map, (key) => (masksData && (key === 'stringData' || key === 'data') ? 'mask' : 'keep'));
}

/** A Secret: what belongs there in clear is kept, all else is masked. */
function convict(map: MapNode): void {
  setFates(map, (key) => {
    if (key === 'metadata') return 'metadata';
    return OPEN_KEYS.has(key) ? 'scalar' : 'mask';
  });
}

function setFates(map: MapNode, fate: (key: string) => Fate): void {
  for (const entry of map.entries) entry.fate = fate(entry.key);
}

function scalarsOf(text: string, map: MapNode, key: string): string[] {
  const found: string[] = [];
  for (const entry of map.entries) {
    if (entry.key !== key) continue;
    for (const scalar of entry.scalars) found.push(plain(text, scalar));
    for (const range of entry.loose) found.push(plain(text, range));
  }
  return found;
}

/** Whether the text ends within a kind, so that there is more of it. */
function endsInKind(text: string, map: MapNode): boolean {
  const last = map.entries.at(-1);
  if (last?.key !== 'kind') return false;
  const end = last.scalars.reduce((most, scalar) => Math.max(most, scalar.end), -1);
  return end >= 0 && end + 20 > text.length && text.slice(end).trim() === '';
}

const has = (map: MapNode, mark: number) => (map.marks & mark) !== 0;
const hasSecretType = (text: string, map: MapNode) =>
  has(map, MARK.type) && scalarsOf(text, map, 'type').some((type) => SECRET_TYPE.test(type));

/** Whether the value of a `kind` key could be read to its end. */
function namesKind(text: string, scalars: readonly Range[], loose: readonly Range[]): boolean {
  let isOther = scalars.length + loose.length > 0;
  for (const range of loose.length === 0 ? scalars : [...scalars, ...loose]) {
    const value = plain(text, range).replace(/^!!str\s+/, '');
    if (value === 'Secret' || value === 'SecretList') return true;
    isOther &&= !value.startsWith('Secret');
  }
  return isOther;
}

/** A scalar's text without quotes, tags, comments and what JSON puts after it. */
function plain(text: string, { start, end }: Range): string {
  const value = text.slice(start, Math.min(end, start + 200));
  if (PLAIN.test(value)) return value;
  return value.replace(/^["']|\s+#.*$/g, '').replace(/[\s,"'\\]+$/, '');
}

/** Most are one word. */
const PLAIN = /^[\w.:/-]*$/;

/** What may stand within a Secret: a comment, what is too short to tell, what is masked already. */
function isHarmless(text: string, { start, end }: Range): boolean {
  const line = text.slice(start, end);
  return /^\s*#|^.{0,7}$/.test(line) || isMaskedWithin(line);
}

/** A foreign line that is a sentence; no other: it may be the rest of a value, or a key that is broken and its value. */
function isPlain(text: string, { start, end }: Range): boolean {
  const line = text.slice(start, end).trim();
  if (isMaskedWithin(line)) return true;
  if (line.length < 8 || line.startsWith('#')) return !/^["'][\w.-]+:$/.test(line);
  return !/^["']|["']\s{0,8}:/.test(line) && (/\s/.test(line) || /^[}\])>`|,;]+$/.test(line));
}
