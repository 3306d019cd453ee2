import type { Range } from '../text.ts';
import { type Context, type Entry, type Fate, MARK, type MapNode } from './outline.ts';

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
  /^(?:Opaque|kubernetes\.io\/(?:service-account-token|dockercfg|dockerconfigjson|basic-auth|ssh-auth|tls)|bootstrap\.kubernetes\.io\/token|helm\.sh\/.*)$/;

export interface Finding {
  ranges: Range[];
  /** Positions of the `kind` keys that were read with their object. */
  kinds: Set<number>;
  /** False if a masked value refers to a value elsewhere. */
  isClean: boolean;
}

/** Finds the secret values in mappings: the data of Secrets, and anything that does not belong into a Secret. */
export function findSecretData(text: string, maps: readonly MapNode[]): Finding {
  const found: Finding = { ranges: [], kinds: new Set(), isClean: true };
  for (const map of maps) {
    map.context = decide(text, map);
    for (const { key, at, fate, scalars } of map.entries) {
      // A mapping with only a `kind` is not understood: its other lines were not recognised.
      if (key === 'kind' && map.entries.length > 1 && namesKind(text, scalars)) found.kinds.add(at);
      if (fate !== 'mask') continue;
      for (const scalar of scalars) {
        found.ranges.push(scalar);
        if (scalar.quote === '' && text[scalar.start] === '*' && refers(text, scalar)) found.isClean = false;
      }
    }
  }
  return found;
}

function refers(text: string, { start, end }: Range): boolean {
  const name = /^\*([\w-]+)/.exec(text.slice(start, Math.min(end, start + 100)))?.[1];
  return name !== undefined && text.includes(`&${name}`);
}

/** Sets the fates of a mapping's values, and returns the mapping's context. */
function decide(text: string, map: MapNode): Context {
  const above = map.holder?.map.context ?? 'none';
  const fate = map.holder?.fate ?? 'keep';
  if (fate === 'mask' || fate === 'scalar') return setFates(map, () => 'mask');
  if (fate === 'metadata') {
    const foreign = NAME_KEYS.filter((key) =>
      valuesOf(text, map, key).some((name) => !OBJECT_NAME.test(name)),
    );
    return setFates(map, (key) => (METADATA_KEYS.has(key) && !foreign.includes(key) ? 'keep' : 'mask'));
  }
  if (!has(map, MARK.kind | MARK.data)) return above;
  const isCut = endsInKind(text, map);
  const kinds = valuesOf(text, map, 'kind').map((kind) =>
    isCut && 'SecretList'.startsWith(kind) ? 'Secret' : kind,
  );
  const untyped = kinds.length === 0 && above !== 'other' && has(map, MARK.data) && hasSecretType(text, map);
  if (kinds.includes('Secret') || untyped) {
    return has(map, MARK.data | MARK.metadata) || hasSecretType(text, map) ? maskSecret(map) : 'secret';
  }
  if (kinds.includes('SecretList')) return 'secret-list';
  if (kinds.length > 0) return kinds.includes('List') ? 'list' : 'other';
  if (above === 'other') return above;
  if (above === 'secret-list') return maskSecret(map);
  // Data without a kind may be the rest of a truncated Secret.
  const masksData =
    above === 'secret' ||
    map.entries.some((each) => each.key === 'stringData' || (each.key === 'data' && isEncoded(text, each)));
  if (masksData) setFates(map, (key) => (key === 'stringData' || key === 'data' ? 'mask' : 'keep'));
  return above;
}

function maskSecret(map: MapNode): Context {
  return setFates(map, (key) => {
    if (key === 'metadata') return 'metadata';
    return OPEN_KEYS.has(key) ? 'scalar' : 'mask';
  });
}

function setFates(map: MapNode, fate: (key: string) => Fate): Context {
  for (const entry of map.entries) entry.fate = fate(entry.key);
  return 'secret';
}

function valuesOf(text: string, map: MapNode, key: string): string[] {
  return map.entries
    .filter((entry) => entry.key === key)
    .flatMap(({ scalars }) => scalars.map((scalar) => plain(text, scalar)));
}

/** True if the mapping's last key is `kind` and the text ends with its value, which may be truncated (`Secr`). */
function endsInKind(text: string, map: MapNode): boolean {
  const last = map.entries.at(-1);
  const end = last?.key === 'kind' ? (last.scalars.at(-1)?.end ?? -1) : -1;
  return end >= 0 && end + 20 > text.length && text.slice(end).trim() === '';
}

const has = (map: MapNode, marks: number) => (map.marks & marks) !== 0;
const hasSecretType = (text: string, map: MapNode) =>
  has(map, MARK.type) && valuesOf(text, map, 'type').some((type) => SECRET_TYPE.test(type));

function namesKind(text: string, scalars: readonly Range[]): boolean {
  const values = scalars.map((scalar) => plain(text, scalar));
  return (
    values.some((value) => /^Secret(?:List)?$/.test(value)) ||
    (values.length > 0 && !values.some((value) => value.startsWith('Secret')))
  );
}

/** Returns a scalar's text without quotes, comments and trailing JSON punctuation. */
function plain(text: string, { start, end }: Range): string {
  const value = text.slice(start, Math.min(end, start + 200));
  return /^\w+$/.test(value) ? value : value.replace(/^["']|\s+#.*$/g, '').replace(/[\s,"'\\]+$/, '');
}

/** Matches base64 that is no word or number. */
const ENCODED = /=$|\d[A-Za-z]|[a-z][A-Z]|[+/]/;

/** True if all values of an entry may be base64 and at least one is no word. The text's last value may be truncated. */
function isEncoded(text: string, entry: Entry): boolean {
  // An entry without a key is a key whose colon is cut off.
  const entries = entry.child?.entries.filter(({ key }) => key !== '') ?? [entry];
  const scalars = entries.flatMap((each) => each.scalars);
  const values = scalars.map(({ start, end }) => ({
    value: text
      .slice(start, end)
      .trim()
      .replace(/^["']|["',\\]+$/g, '')
      .replace(/\\?\s+/g, ''),
    isLast: text.slice(end, end + 200).trim() === '',
  }));
  const filled = values.filter(({ value }) => value !== '' && value !== 'null');
  return (
    filled.every(
      ({ value, isLast }) => /^[A-Za-z0-9+/]+={0,2}$/.test(value) && (value.length % 4 === 0 || isLast),
    ) && filled.some(({ value }) => ENCODED.test(value))
  );
}
