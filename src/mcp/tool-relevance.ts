import type { KnownTool } from './catalogue.ts';

/** Of a text that tools are to fit, in UTF-16 code units: an alert says what it is about at its beginning. */
const MAX_TEXT_UNITS = 20_000;
/** A word in a tool's name says more than one in its description. */
const NAME_WEIGHT = 3;

/**
 * How well tools fit a text, by the words that they share with it: rare words among the tools count more. The same
 * tools and text always give the same figures.
 */
export function relevanceTo(text: string, tools: readonly KnownTool[]): (tool: KnownTool) => number {
  const wanted = words(text.slice(0, MAX_TEXT_UNITS));
  const known = new Map(tools.map((tool) => [tool, wordsOf(tool)]));
  const counts = new Map<string, number>();
  for (const { name, description } of known.values())
    for (const word of name.union(description)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (word: string) => Math.log(1 + tools.length / (counts.get(word) ?? 1));
  return (tool) => {
    const { name, description } = known.get(tool) ?? wordsOf(tool);
    let total = 0;
    for (const word of wanted.intersection(name)) total += NAME_WEIGHT * weight(word);
    for (const word of wanted.intersection(description).difference(name)) total += weight(word);
    return total;
  };
}

function wordsOf({ tool, definition }: KnownTool) {
  return { name: words(tool), description: words(definition.description) };
}

/** Words of a text in lower case, in their singular; those of one or two letters are left out. */
function words(text: string): Set<string> {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return new Set((apart.match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.replace(/(?<=\w{3})s$/, '')));
}
