import { parseSync } from 'vite';
import type { Passage } from './words.ts';

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** Matches attributes and properties whose values are shown even if they are a single word. */
const SHOWN_NAMES =
  /^["']?(?:title|titleAccess|label|placeholder|aria-label|summary|name|what|means|yes|no)["']?$/;

/** Matches texts of several words, in contrast to keys, class names and values of styles. */
const SENTENCE = /^["“…]?\p{Lu}\S*\s+\S/u;

/**
 * Returns the texts of a dashboard file: the text of JSX elements, strings of shown attributes and properties, and
 * strings that hold a sentence. An embedded expression becomes the word `value`.
 */
export function uiTexts(file: string, source: string): Passage[] {
  const texts: Passage[] = [];
  const visit = (node: SyntaxNode, parent: SyntaxNode | null): void => {
    if (node.type === 'ImportDeclaration' || node.type === 'TSLiteralType') return;
    const prose = shownText(node, parent, source);
    if (prose !== null) texts.push({ at: node.start, prose });
    for (const child of childNodes(node)) visit(child, node);
  };
  visit(parseSync(file, source).program as unknown as SyntaxNode, null);
  return texts;
}

/** Returns the text that a node shows; `null` if it shows none. */
function shownText(node: SyntaxNode, parent: SyntaxNode | null, source: string): string | null {
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') return textOfChildren(node);
  const text = textOfString(node);
  if (text === null) return null;
  return SENTENCE.test(text) || SHOWN_NAMES.test(nameIn(parent, source)) ? text : null;
}

/** Joins the text children of an element; `null` if it has none. */
function textOfChildren(element: SyntaxNode): string | null {
  const children = element.children as SyntaxNode[];
  const parts = children.map((child) => (child.type === 'JSXText' ? String(child.value) : ' value '));
  const text = parts.join('').replace(/\s+/g, ' ').trim();
  return children.some(({ type, value }) => type === 'JSXText' && /\p{L}/u.test(String(value))) ? text : null;
}

/** Returns the text of a string or template; `null` for other nodes. */
function textOfString(node: SyntaxNode): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type !== 'TemplateLiteral') return null;
  return (node.quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join('value');
}

/** Returns the name of the attribute or property that a node is the value of, such as `label`; '' if none. */
function nameIn(parent: SyntaxNode | null, source: string): string {
  if (parent?.type !== 'JSXAttribute' && parent?.type !== 'Property') return '';
  const name = (parent.type === 'Property' ? parent.key : parent.name) as SyntaxNode;
  return source.slice(name.start, name.end);
}

function childNodes(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node)
    .flat()
    .filter((value): value is SyntaxNode => typeof (value as SyntaxNode | null)?.type === 'string');
}
