import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from 'parse5';
import { RunbookError } from './errors.ts';
import { TextBuilder } from './text-builder.ts';

/** Maximum number of attributes of a tag. Bounds the time, because the tokenizer compares each one with all others. */
const MAX_ATTRIBUTES = 500;

/** A page with a password field and less text (characters) is a sign-in. */
const SIGN_IN_MAX_LENGTH = 1500;

/** Elements whose text is not part of a runbook. */
const SKIPPED = new Set(
  'head script style template noscript nav footer aside svg iframe object button select textarea dialog'.split(
    ' ',
  ),
);
/** Elements whose content is not markup, with how the tokenizer reads it. */
const RAW_TEXT = new Map<string, Tokenizer['state']>([
  ['script', TokenizerMode.SCRIPT_DATA],
  ...['style', 'iframe', 'noembed', 'noframes', 'xmp'].map((name) => [name, TokenizerMode.RAWTEXT] as const),
  ...['title', 'textarea'].map((name) => [name, TokenizerMode.RCDATA] as const),
]);
/** Elements that end where the next one of the same name begins. */
const IMPLICITLY_ENDED = new Set(['li', 'p', 'td', 'th', 'tr', 'dt', 'dd', 'option']);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const PARAGRAPHS = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote section article main figure'.split(' '),
);
const LINES = new Set('div tr dt dd header form fieldset details summary address hr'.split(' '));
const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const MAX_INDENT = 8;

/** An element whose end is looked for: counts the elements of the same name inside it. */
interface Region {
  name: string;
  depth: number;
}

/**
 * Returns the text of a page: its main part if it names one, else all of it, with headings, lists, code and tables in the
 * form of Markdown. Leaves out scripts, navigation and hidden elements. Needs linear time.
 * @throws RunbookError if the page is a sign-in, has no text, or a tag has too many attributes
 */
export function htmlToText(html: string): string {
  const reader = new PageReader();
  const tokenizer = new BoundedTokenizer({}, reader);
  reader.onRawText = (state) => {
    tokenizer.state = state;
  };
  tokenizer.write(html, true);
  const text = reader.text();
  if (reader.asksPassword && text.length < SIGN_IN_MAX_LENGTH)
    throw new RunbookError('SIGN_IN', 'the page is a sign-in page, not a runbook');
  if (text === '') throw new RunbookError('NOT_TEXT', 'its page has no text without scripts');
  return text;
}

class BoundedTokenizer extends Tokenizer {
  protected override _leaveAttrName(): void {
    super._leaveAttrName();
    const { attrs } = this.currentToken as Token.TagToken;
    if (attrs.length > MAX_ATTRIBUTES)
      throw new RunbookError('NOT_TEXT', `its page has a tag with more than ${MAX_ATTRIBUTES} attributes`);
  }
}

class PageReader implements TokenHandler {
  asksPassword = false;
  onRawText: (state: Tokenizer['state']) => void = () => {};
  readonly #out = new TextBuilder();
  #skipped: Region | null = null;
  #main: (Region & { start: number }) | null = null;
  #mainRange: [start: number, end: number] | null = null;
  /** For each open list, the number of its next item; `null` if its items have no numbers. */
  readonly #lists: (number | null)[] = [];
  #preDepth = 0;
  #isFirstCell = true;

  text(): string {
    if (this.#main?.depth) this.#endMain(this.#main);
    const whole = this.#out.slice(0, this.#out.length);
    return this.#mainRange === null ? whole : this.#out.slice(...this.#mainRange) || whole;
  }

  onStartTag(token: Token.TagToken): void {
    const { tagName: name, attrs, selfClosing } = token;
    const attribute = (key: string) => attrs.find((one) => one.name === key)?.value;
    const raw = RAW_TEXT.get(name);
    if (raw !== undefined) this.onRawText(raw);
    if (name === 'input' && attribute('type')?.toLowerCase() === 'password') this.asksPassword = true;
    if (name === 'svg' && selfClosing) return; // HTML ends no other element of SKIPPED in this way
    if (this.#skipped !== null && !this.#leavesSkipped(this.#skipped, name)) return;
    const isHidden = attribute('hidden') !== undefined || HIDDEN_STYLE.test(attribute('style') ?? '');
    if (!VOID.has(name) && (SKIPPED.has(name) || isHidden)) {
      this.#skipped = { name, depth: 1 };
      return;
    }
    this.#enterMain(
      name,
      name === 'main' || attribute('role') === 'main' || attribute('id') === 'main-content',
    );
    this.#start(name, attribute(name === 'li' ? 'value' : 'start'));
  }

  /** Counts an element inside a skipped one. Returns true if it ends the skipped one. */
  #leavesSkipped(skipped: Region, name: string): boolean {
    if (name !== skipped.name) return false;
    if (IMPLICITLY_ENDED.has(name)) {
      this.#skipped = null;
      return true;
    }
    skipped.depth += 1;
    return false;
  }

  #enterMain(name: string, isMain: boolean): void {
    if (this.#main === null) {
      if (isMain && !VOID.has(name)) this.#main = { name, depth: 1, start: this.#out.length };
    } else if (this.#main.name === name && this.#main.depth > 0) {
      this.#main.depth += 1;
    }
  }

  #endMain({ start }: { start: number }): void {
    this.#mainRange = [start, this.#out.length];
  }

  /** @param number the number that a list or item names for itself */
  #start(name: string, number: string | undefined): void {
    const out = this.#out;
    if (PARAGRAPHS.has(name) && this.#lists.length === 0) out.breakLine(2);
    else if (PARAGRAPHS.has(name) || LINES.has(name) || name === 'br') out.breakLine();
    if (/^h[1-6]$/.test(name)) out.addMark(`${'#'.repeat(Number(name[1]))} `);
    else if (name === 'ul') this.#lists.push(null);
    else if (name === 'ol') this.#lists.push(listNumber(number) ?? 1);
    else if (name === 'li') this.#startItem(listNumber(number));
    else if (name === 'pre') {
      if (this.#preDepth === 0) out.addVerbatim('```\n');
      this.#preDepth += 1;
    } else if (name === 'code' && this.#preDepth === 0) out.add(' `');
    else if (name === 'tr') this.#isFirstCell = true;
    else if (name === 'td' || name === 'th') {
      if (!this.#isFirstCell) out.add(' | ');
      this.#isFirstCell = false;
    }
  }

  #startItem(own: number | null): void {
    const next = this.#lists.at(-1) ?? null;
    const number = next === null ? null : (own ?? next);
    if (number !== null) this.#lists[this.#lists.length - 1] = number + 1;
    this.#out.breakLine();
    const indent = '  '.repeat(Math.min(Math.max(this.#lists.length - 1, 0), MAX_INDENT));
    this.#out.addMark(`${indent}${number === null ? '-' : `${number}.`} `);
  }

  onEndTag({ tagName: name }: Token.TagToken): void {
    if (this.#skipped !== null) {
      if (this.#skipped.name === name) this.#skipped.depth -= 1;
      if (this.#skipped.depth === 0) this.#skipped = null;
      return;
    }
    const out = this.#out;
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name === 'pre' && this.#preDepth > 0) {
      this.#preDepth -= 1;
      if (this.#preDepth === 0) out.addVerbatim('\n```');
    } else if (name === 'code' && this.#preDepth === 0) out.addVerbatim('`');
    if (PARAGRAPHS.has(name) && this.#lists.length === 0) out.breakLine(2);
    else if (PARAGRAPHS.has(name) || LINES.has(name) || name === 'li') out.breakLine();
    if (this.#main?.name !== name || this.#main.depth === 0) return;
    this.#main.depth -= 1;
    if (this.#main.depth === 0) this.#endMain(this.#main);
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    if (this.#skipped !== null) return;
    if (this.#preDepth > 0) this.#out.addVerbatim(chars);
    else this.#out.add(chars);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}
}

function listNumber(text: string | undefined): number | null {
  return /^\d{1,9}$/.test(text ?? '') ? Number(text) : null;
}
