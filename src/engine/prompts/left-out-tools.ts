import { untrustedLines } from './untrusted.ts';

/** A tool that is there and not offered. */
export interface LeftOut {
  server: string;
  tool: string;
  /** By policy: it may change something. */
  withheld: boolean;
}

/** Enough to recommend one of them; nobody reads more. */
const MAX_NAMES = 60;

/** What the model is told of tools that policy keeps from it; empty when there are none. */
export function withheldSection(leftOut: readonly LeftOut[]): string[] {
  const withheld = leftOut.filter((tool) => tool.withheld);
  if (withheld.length === 0) return [];
  const names = withheld.slice(0, MAX_NAMES).map(({ server, tool }) => `- ${server}.${tool}`);
  const more = withheld.length > MAX_NAMES ? `\n\n… and ${withheld.length - MAX_NAMES} more` : '';
  return [
    `## Tools that are withheld\n\nThese may change something, so they are not yours to call. Recommend to people what should be done instead.\n\n${untrustedLines('TOOL LIST', names)}${more}`,
  ];
}
