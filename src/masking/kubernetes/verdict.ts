import { isMaskedWithin } from '../masks.ts';
import type { Range } from '../text.ts';
import { append, type Context, type Entry, type Fate, MARK, type MapNode } from './outline.ts';

const OPEN_KEYS = new Set(['apiVersion', 'kind', 'type', 'immutable']);
/** The keys of an object's metadata. Any other key under a Secret's metadata is there by mistake, so it is masked. */
const METADATA_KEYS = new Set(
  'name namespace labels annotations uid resourceVersion creationTimestamp generation generateName ownerReferences managedFields finalizers selfLink deletionTimestamp deletionGracePeriodSeconds clusterName initializers'.split(
    ' ',
  ),
);
/** Metadata keys whose value is an object's name. Any other value comes from a broken line and is masked. */
const NAME_KEYS = ['name', 'namespace', 'generateName'];
const OBJECT_NAME = /^[a-z0-9.:-]*$/;
const SECRET_TYPE =
  /^(?:Opaque|kubernetes\.io\/(?:service-account-token|dockercfg|dockerconfigjson|basic-auth|ssh-auth|tls)|bootstrap\.kubernetes\.io\/token|helm\.sh\/release\.v\d+|helm\.sh\/.*)$/;

export interface Finding {
  ranges: Range[];
  kinds: number[];
  /** True if everything was read cleanly; otherwise the text may contain more secrets. */
  isClean: boolean;
}

/** Finds the secret values in mappings: the data of Secrets, and anything that does not belong into a Secret. */
export function findSecretData(text: string, maps: readonly MapNode[]): Finding {
  const found: Finding = { ranges: [], kinds: [], isClean: true };
  for (const map of maps) {
    if (map.context === null) decideChain(text, map);
    found.isClean &&= isReadCleanly(text, map);
    for (const { key, at, fate, scalars, loose } of map.entries) {
      // A mapping with only a `kind` is not understood: its other lines were not recognised.
      if (key === 'kind' && map.entries.length > 1 && namesKind(text, scalars, loose)) found.kinds.push(at);
      if (fate !== 'mask') continue;
      append(found.ranges, scalars);
      append(found.ranges, loose);
    }
    if (map.looseFate === 'mask') append(found.ranges, map.loose);
  }
  return found;
}

function isReadCleanly(text: string, map: MapNode): boolean {
  // A key with both a text and a mapping as value means that foreign text stands between key and mapping.
  if ((map.parentEntry?.scalars.length ?? 0) > 0) return false;
  const accepts = map.context === 'secret' ? isHarmless : isPlain;
  for (const { isUnclosed, loose } of map.entries) {
    if (isUnclosed || !(loose.length === 0 || loose.every((range) => accepts(text, range)))) return false;
  }
  return map.loose.every((range) => isPlain(text, range));
}

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
    if (has(map, MARK.data) || has(map, MARK.metadata) || hasSecretType(text, map)) maskSecret(map);
    return 'secret';
  }
  if (kinds.includes('SecretList')) return 'secret-list';
  if (kinds.includes('List')) return 'list';
  if (kinds.length > 0) return 'other';
  if (has(map, MARK.data) && above !== 'other') decideWithoutKind(text, map, above);
  return above;
}

/** Handles a mapping with data but no kind, which may be a truncated Secret. */
function decideWithoutKind(text: string, map: MapNode, above: Context): void {
  if (above === 'secret-list') {
    maskSecret(map);
    return;
  }
  const masksData =
    above === 'secret' ||
    map.entries.some(
      (entry) => entry.key === 'stringData' || (entry.key === 'data' && isEncoded(text, entry)),
    );
  setFates(map, (key) => (masksData && (key === 'stringData' || key === 'data') ? 'mask' : 'keep'));
}

function maskSecret(map: MapNode): void {
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

/** True if the mapping's last key is `kind` and the text ends with its value, which may be truncated (`Secr`). */
function endsInKind(text: string, map: MapNode): boolean {
  const last = map.entries.at(-1);
  if (last?.key !== 'kind') return false;
  const end = last.scalars.reduce((most, scalar) => Math.max(most, scalar.end), -1);
  return end >= 0 && end + 20 > text.length && text.slice(end).trim() === '';
}

const has = (map: MapNode, mark: number) => (map.marks & mark) !== 0;
const hasSecretType = (text: string, map: MapNode) =>
  has(map, MARK.type) && scalarsOf(text, map, 'type').some((type) => SECRET_TYPE.test(type));

function namesKind(text: string, scalars: readonly Range[], loose: readonly Range[]): boolean {
  let isOther = scalars.length + loose.length > 0;
  for (const range of loose.length === 0 ? scalars : [...scalars, ...loose]) {
    const value = plain(text, range).replace(/^!!str\s+/, '');
    if (value === 'Secret' || value === 'SecretList') return true;
    isOther &&= !value.startsWith('Secret');
  }
  return isOther;
}

/** Returns a scalar's text without quotes, comments and trailing JSON punctuation. */
function plain(text: string, { start, end }: Range): string {
  const value = text.slice(start, Math.min(end, start + 200));
  if (PLAIN.test(value)) return value;
  return value.replace(/^["']|\s+#.*$/g, '').replace(/[\s,"'\\]+$/, '');
}

/** Matches a scalar of one word, which needs no trimming; most scalars are such. */
const PLAIN = /^[\w.:/-]*$/;

/** True for loose lines that a Secret may contain: comments, very short lines, masked ones. */
function isHarmless(text: string, { start, end }: Range): boolean {
  const line = text.slice(start, end);
  return /^\s*#|^.{0,7}$/.test(line) || isMaskedWithin(line);
}

/** True for a harmless loose line: masked, short, a sentence or brackets. Other lines may be part of a value. */
function isPlain(text: string, { start, end }: Range): boolean {
  const line = text.slice(start, end).trim();
  if (isMaskedWithin(line)) return true;
  if (line.length < 8 || line.startsWith('#')) return !/^["'][\w.-]+:$/.test(line);
  return !/^["']|["']\s{0,8}:/.test(line) && (/\s/.test(line) || /^[}\])>`|,;]+$/.test(line));
}

/** Maximum depth searched in a Secret's data, which is flat unless the indentation is broken. */
const DEEPEST_DATA = 4;
/** Matches base64 that is no word or number. */
const ENCODED = /=$|\d[A-Za-z]|[a-z][A-Z]|[+/]/;

/** True if all values of an entry may be base64 and at least one is no word. The text's last value may be truncated. */
function isEncoded(text: string, entry: Entry): boolean {
  const values = valuesOf(text, entry, 1);
  return (values ?? []).some((value) => ENCODED.test(value));
}

function valuesOf(text: string, { scalars, maps }: Entry, depth: number): string[] | null {
  const found: string[] = [];
  for (const { start, end } of scalars) {
    const value = text
      .slice(start, end)
      .trim()
      .replace(/^["']|["',\\]+$/g, '')
      .replace(/\\?\s+/g, '');
    if (value === '' || value === 'null') continue;
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null;
    if (value.length % 4 !== 0 && text.slice(end).trim() !== '') return null; // neither a base64 length nor truncated
    found.push(value);
  }
  for (const child of maps.flatMap(({ entries }) => entries)) {
    const values = depth < DEEPEST_DATA ? valuesOf(text, child, depth + 1) : null;
    if (values === null) return null;
    found.push(...values);
  }
  return found;
}
