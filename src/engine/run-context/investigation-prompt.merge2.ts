import { untrustedLines } from '../prompt-text/untrusted.ts';

/** A tool that is there and not offered. */
export interface LeftOut {
  server: string;
  tool: string;
  /** withheld: by policy, as it may change something; findable: the list would be too long. */
  kind: 'withheld' | 'findable' | 'unusable';
}

/** Enough to recommend one of them; nobody reads more. */
const MAX_NAMES = 60;

/** What the model is told of tools that it does not see; empty when there are none. */
export function leftOutSections(leftOut: readonly LeftOut[]): string[] {
  return [
    ...withheldSection(leftOut.filter(({ kind }) => kind === 'withheld')),
    ...findableSection(leftOut.filter(({ kind }) => kind === 'findable')),
  ];
}

function findableSection(findable: readonly LeftOut[]): string[] {
  if (findable.length === 0) return [];
  const counts = [...Map.groupBy(findable, ({ server }) => server)].map(
    ([server, tools]) => `${server} (${tools.length})`,
  );
  return [
    `## More tools\n\nYour list has only the tools that seem to fit. Others are found with find_tools, of these servers: ${counts.join(', ')}. Look there before you name something as impossible to find out.`,
  ];
}

function withheldSection(withheld: readonly LeftOut[]): string[] {
  if (withheld.length === 0) return [];
  const names = withheld.slice(0, MAX_NAMES).map(({ server, tool }) => `- ${server}.${tool}`);
  const more = withheld.length > MAX_NAMES ? `\n\n… and ${withheld.length - MAX_NAMES} more` : '';
  return [
    `## Tools that are withheld\n\nThese may change something, so they are not yours to call. Recommend to people what should be done instead.\n\n${untrustedLines('TOOL LIST', names)}${more}`,
  ];
}
