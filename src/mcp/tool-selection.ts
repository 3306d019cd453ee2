import type { KnownTool } from './types.ts';

export interface OfferLimits {
  tools: number;
  units: number;
}

/** Length of a text's beginning that ranks tools (UTF-16 code units), because alerts name their subject first. */
const MAX_TEXT_UNITS = 20_000;
/** Weight of a word in a tool's name, relative to one in its description. */
const NAME_WEIGHT = 3;

export function definitionSize({ definition }: KnownTool): number {
  const { name, description, inputSchema } = definition;
  return name.length + description.length + JSON.stringify(inputSchema).length;
}

export function fitsWithin(tools: readonly KnownTool[], limits: OfferLimits): boolean {
  return (
    tools.length <= limits.tools && tools.reduce((sum, tool) => sum + definitionSize(tool), 0) <= limits.units
  );
}

/** Selects tools that fit. Each time, the server with the smallest share adds its most relevant remaining tool. */
export function selectWithinLimits(
  tools: readonly KnownTool[],
  relevance: (tool: KnownTool) => number,
  limits: OfferLimits,
): Set<KnownTool> {
  const selected = new Set<KnownTool>();
  let units = 0;
  const queues = [...Map.groupBy(tools, ({ server }) => server).values()].map((list) => ({
    // Tools of equal relevance keep the server's order.
    waiting: list.toSorted((one, other) => relevance(other) - relevance(one)),
    count: 0,
    units: 0,
  }));
  const share = (queue: (typeof queues)[number]) =>
    Math.max(queue.count / limits.tools, queue.units / limits.units);
  while (selected.size < limits.tools) {
    const nonEmpty = queues.filter(({ waiting }) => waiting.length > 0);
    const [next] = nonEmpty.toSorted((one, other) => share(one) - share(other));
    const tool = next?.waiting.shift();
    if (next === undefined || tool === undefined) break;
    const size = definitionSize(tool);
    if (units + size > limits.units) continue;
    selected.add(tool);
    units += size;
    next.count += 1;
    next.units += size;
  }
  return selected;
}

/** Returns a function that scores how well a tool matches a text, by shared words. Rare words count more. */
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

function words(text: string): Set<string> {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return new Set((apart.match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.replace(/(?<=\w{3})s$/, '')));
}
