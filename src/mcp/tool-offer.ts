import type { KnownTool } from './catalogue.ts';
import { FIND_TOOLS, findToolsDefinition } from './find-tools.ts';
import { toFunctionName } from './tool-names.ts';
import { relevanceTo } from './tool-relevance.ts';
import { fitsAll, type ShareLimits, shareOut } from './tool-selection.ts';
import type { LeftOutTool, ToolDefinition } from './types.ts';

/** Tools that one search adds to the offer. */
const MAX_FOUND_AT_ONCE = 8;
/** Of the limits, kept free for tools that are found later. */
const ROOM_FOR_FOUND = 0.2;

/** Which of the tools that may be called stand in the model's list; the others are found by `find_tools`. */
export interface ToolOffer {
  tools(): ToolDefinition[];
  /** What does not stand in the list, found or not. */
  leftOut(): LeftOutTool[];
  /** The tools beyond the list that fit a query best; they are offered from now on. */
  find(query: string): KnownTool[];
  /** Whether it is offered because it was searched for, called or recalled. */
  wasFound(name: string): boolean;
  /** Offers again what the text of an earlier conversation names. */
  recall(text: string): void;
}

/** @param about what the tools are needed for */
export function createToolOffer(
  catalogue: ReadonlyMap<string, KnownTool>,
  about: string,
  limits: ShareLimits,
): ToolOffer {
  const all = [...catalogue.values()];
  if (fitsAll(all, limits)) {
    const tools = all.map(({ definition }) => definition);
    return { tools: () => tools, leftOut: () => [], find: () => [], wasFound: () => false, recall: () => {} };
  }
  const free = { tools: Math.ceil(limits.tools * ROOM_FOR_FOUND), units: limits.units * ROOM_FOR_FOUND };
  const room = { tools: limits.tools - free.tools - 1, units: limits.units - free.units };
  const listed = shareOut(all, relevanceTo(about, all), room);
  const others = all.filter((tool) => !listed.has(tool));
  const finder = findToolsDefinition(others);
  let found: KnownTool[] = []; // the newest last; the oldest make room
  const list = () => [
    finder,
    ...all.filter((tool) => listed.has(tool) || found.includes(tool)).map(({ definition }) => definition),
  ];
  let current = list();
  const add = (tools: readonly KnownTool[]) => {
    const kept = [...found.filter((tool) => !tools.includes(tool)), ...tools];
    while (kept.length > 1 && !fitsAll(kept, free)) kept.shift();
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
        .slice(0, MAX_FOUND_AT_ONCE);
      add(best.toReversed()); // what fits best is the last to make room
      return best;
    },
    wasFound: (name) => found.some(({ definition }) => definition.name === name),
    recall(text) {
      const named = new Set(text.match(/[\w-]+(?:\.[\w-]+)?/g));
      add(others.filter((tool) => namesOf(tool).some((name) => named.has(name))));
    },
  };
}

function namesOf({ definition: { name } }: KnownTool): string[] {
  return [name, toFunctionName(name)];
}
