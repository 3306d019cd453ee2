import { FIND_TOOLS, findToolsDefinition } from './find-tools.ts';
import { toFunctionName } from './tool-names.ts';
import { fitsWithin, type OfferLimits, relevanceTo, selectWithinLimits } from './tool-selection.ts';
import type { KnownTool, LeftOutTool, ToolDefinition } from './types.ts';

const MAX_FOUND_PER_SEARCH = 8;
/** Share of the limits that is reserved for tools that the model finds later. */
const FOUND_SHARE = 0.2;

/** Selects the callable tools for the model's list; `find_tools` finds the others. */
export interface ToolOffer {
  tools(): ToolDefinition[];
  leftOut(): LeftOutTool[];
  /** Returns the left-out tools that match a query best and offers them from now on. */
  find(query: string): KnownTool[];
  /** True if a tool is offered because it was searched for, called or mentioned. */
  wasFound(name: string): boolean;
  /** Offers the left-out tools that the text mentions. */
  offerMentioned(text: string): void;
}

/** Creates the offer of a catalogue. @param about text that ranks tools when not all fit */
export function createToolOffer(
  catalogue: ReadonlyMap<string, KnownTool>,
  about: string,
  limits: OfferLimits,
): ToolOffer {
  const all = [...catalogue.values()];
  if (fitsWithin(all, limits)) {
    const tools = all.map(({ definition }) => definition);
    return {
      tools: () => tools,
      leftOut: () => [],
      find: () => [],
      wasFound: () => false,
      offerMentioned: () => {},
    };
  }
  const reserved = { tools: Math.ceil(limits.tools * FOUND_SHARE), units: limits.units * FOUND_SHARE };
  const room = { tools: limits.tools - reserved.tools - 1, units: limits.units - reserved.units };
  const listed = selectWithinLimits(all, relevanceTo(about, all), room);
  const others = all.filter((tool) => !listed.has(tool));
  const finder = findToolsDefinition(others);
  let found: KnownTool[] = []; // oldest first
  const list = () => [
    finder,
    ...all.filter((tool) => listed.has(tool) || found.includes(tool)).map(({ definition }) => definition),
  ];
  let current = list();
  const add = (tools: readonly KnownTool[]) => {
    const kept = [...found.filter((tool) => !tools.includes(tool)), ...tools];
    while (kept.length > 1 && !fitsWithin(kept, reserved)) kept.shift();
    if (kept.length === found.length && kept.every((tool, index) => tool === found[index])) return;
    found = kept;
    current = list();
  };
  const reason = `not among the ${listed.size} tools in the list, which has an end; ${FIND_TOOLS} finds it`;
  return {
    tools: () => current,
    leftOut: () => others.map(({ server, tool }) => ({ server, tool, reason, kind: 'findable' })),
    find(query) {
      const relevance = relevanceTo(query, others);
      const best = others
        .filter((tool) => relevance(tool) > 0)
        .toSorted((one, other) => relevance(other) - relevance(one))
        .slice(0, MAX_FOUND_PER_SEARCH);
      add(best.toReversed()); // the best match is evicted last
      return best;
    },
    wasFound: (name) => found.some(({ definition }) => definition.name === name),
    offerMentioned(text) {
      const mentioned = new Set(text.match(/[\w-]+(?:\.[\w-]+)?/g));
      const isMentioned = ({ definition: { name } }: KnownTool) =>
        mentioned.has(name) || mentioned.has(toFunctionName(name));
      add(others.filter(isMentioned));
    },
  };
}
