import type { KnownTool } from './catalogue.ts';

/** What the definitions of tools may come to together. */
export interface ShareLimits {
  tools: number;
  /** UTF-16 code units of names, descriptions and schemas. */
  units: number;
}

/** UTF-16 code units that a tool adds to every question to the model. */
export function unitsOf({ definition }: KnownTool): number {
  const { name, description, inputSchema } = definition;
  return name.length + description.length + JSON.stringify(inputSchema).length;
}

/** Whether all of them fit. */
export function fitsAll(tools: readonly KnownTool[], limits: ShareLimits): boolean {
  return tools.length <= limits.tools && tools.reduce((sum, tool) => sum + unitsOf(tool), 0) <= limits.units;
}

/**
 * The tools that get a place, when not all of them can: whichever server has the smallest share so far (of the number
 * or of the size, whichever is larger) gives the next of its tools that fits best. A tool too large for what is left is passed over.
 */
export function shareOut(
  tools: readonly KnownTool[],
  relevance: (tool: KnownTool) => number,
  limits: ShareLimits,
): Set<KnownTool> {
  const given = new Set<KnownTool>();
  let units = 0;
  const queues = [...Map.groupBy(tools, ({ server }) => server).values()].map((list) => ({
    waiting: list.toSorted((one, other) => relevance(other) - relevance(one)), // equal ones stay as the server lists them
    count: 0,
    units: 0,
  }));
  const share = (queue: (typeof queues)[number]) =>
    Math.max(queue.count / limits.tools, queue.units / limits.units);
  while (given.size < limits.tools) {
    const hungry = queues.filter(({ waiting }) => waiting.length > 0);
    const [first] = hungry.toSorted((one, other) => share(one) - share(other));
    const tool = first?.waiting.shift();
    if (first === undefined || tool === undefined) break;
    const size = unitsOf(tool);
    if (units + size > limits.units) continue;
    given.add(tool);
    units += size;
    first.count += 1;
    first.units += size;
  }
  return given;
}
