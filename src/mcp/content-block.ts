/** A content block as text. `isText` is false for a description of content that is not text. */
export interface BlockText {
  text: string;
  isText: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Media types whose content is text, parameters included. */
const TEXT_TYPE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|yaml|x-yaml|xml|toml|javascript|x-ndjson|x-sh|sql)\b)/i;
/** Types of blocks that are not text even if their media type is. */
const MEDIA: ReadonlySet<unknown> = new Set(['image', 'audio', 'video']);
/** Members that say nothing about the content itself. */
const ASIDE: ReadonlySet<string> = new Set(['type', 'annotations', '_meta', 'icons', 'size']);
const MAX_TYPE_CHARACTERS = 64;
const BASE64 = /^[A-Za-z0-9+/_\s-]*={0,2}\s*$/;

/** Returns a block of a tool's answer as text for the model. Reads blocks of any type; null members are absent. */
export function blockText(block: unknown): BlockText {
  const plain = word(block);
  if (plain !== null) return { text: plain, isText: true };
  if (typeof block !== 'object' || block === null || Array.isArray(block))
    return note('content of an unknown form');
  const members = block as Members;
  if (members.type === 'resource_link') return linkText(members);
  const resource = members.resource;
  if (typeof resource === 'object' && resource !== null) return resourceText(resource as Members);
  const text = word(members.text);
  if (text !== null) return { text, isText: true };
  const data = string(members.data) ?? string(members.blob);
  if (data !== null && (MEDIA.has(members.type) || string(members.mimeType) !== null))
    return dataText(members, data);
  return otherText(members);
}

/**
 * Returns a resource link as text: name, address, type and descriptions, from which the model learns what it links to.
 */
function linkText({ name, title, description, uri, mimeType }: Members): BlockText {
  const words = [name, uri, mimeType].flatMap((word) => string(word) ?? []);
  const about = [title, description].flatMap((word) => string(word) ?? []);
  const { text } = note(['resource', ...words].join(' '));
  return {
    text: [text + (about.length > 0 ? ` ${about[0]}` : ''), ...about.slice(1)].join('\n'),
    isText: false,
  };
}

function resourceText(resource: Members): BlockText {
  const uri = string(resource.uri) ?? '';
  const type = string(resource.mimeType);
  const blob = string(resource.blob);
  const text = string(resource.text) ?? (blob !== null && TEXT_TYPE.test(type ?? '') ? decoded(blob) : null);
  if (text !== null) return { text: `[resource ${uri}]\n${text}`, isText: true };
  return note(
    ['resource', uri, type ?? '', blob === null ? '' : `${bytesOf(blob)} bytes`].filter(Boolean).join(' '),
  );
}

function dataText({ type, mimeType }: Members, data: string): BlockText {
  const kind = string(mimeType);
  if (!MEDIA.has(type) && TEXT_TYPE.test(kind ?? '')) {
    const text = decoded(data);
    if (text !== null) return { text, isText: true };
  }
  return note(`${shortType(type)} ${kind ?? 'of unknown type'}, ${bytesOf(data)} bytes`);
}

/** Returns the remaining members of a block as JSON, so that nothing that the server sent is lost. */
function otherText(members: Members): BlockText {
  const said = Object.entries(members).filter(([name, value]) => !ASIDE.has(name) && value !== null);
  const { text } = note(`content of type ${shortType(members.type)}`);
  if (said.length === 0) return { text: members.type === 'text' ? '' : text, isText: false };
  return { text: `${text}\n${jsonText(Object.fromEntries(said))}`, isText: false };
}

export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return '[structured content nested too deeply to be shown]';
  }
}

/** Returns base64 as text; `null` if it holds no UTF-8 text. Text that is not base64 is returned as it is. */
function decoded(base64: string): string | null {
  if (!BASE64.test(base64)) return base64;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
}

const bytesOf = (base64: string) => Buffer.byteLength(base64, 'base64');
const word = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
const string = (value: unknown) => (typeof value === 'string' ? value : null);
const shortType = (type: unknown) => (string(type) ?? 'unknown').slice(0, MAX_TYPE_CHARACTERS);
const note = (text: string): BlockText => ({ text: `[${text}]`, isText: false });
