import type { SlackReceive } from '../config/types.ts';
import type { SlackClient } from '../engine/features/slack/client.ts';
import { isSetupProblem, SlackCallError } from '../engine/features/slack/failure.ts';

/** Scopes of the bot's token. In each group, one scope suffices: the first for public channels, the second for private ones. */
const POSTING: readonly (readonly string[])[] = [['chat:write'], ['channels:history', 'groups:history']];
const RECEIVING: readonly (readonly string[])[] = [
  ['channels:read', 'groups:read'],
  ['users:read'],
  ['users:read.email'],
  ['app_mentions:read'],
  ['commands'],
];
const REACTIONS: readonly (readonly string[])[] = [['reactions:read']];

/** Returns every scope that the app may need, for its manifest. */
export function allScopes(): string[] {
  return [...POSTING, ...RECEIVING, ...REACTIONS].flat().sort();
}

export interface SlackSetup {
  receive: SlackReceive;
  reaction: string | null;
  channel: string;
}

/** Returns what the installation of the app lacks, one sentence each. @throws SlackCallError if Slack is unavailable */
export async function setupProblems(client: SlackClient, setup: SlackSetup): Promise<string[]> {
  const { receive, reaction, channel } = setup;
  try {
    const { scopes } = await client.identity();
    const receives = receive !== 'none';
    const needed = [
      ...POSTING,
      ...(receives ? RECEIVING : []),
      ...(receives && reaction !== null ? REACTIONS : []),
    ];
    const missing = needed.filter((group) => !group.some((scope) => scopes.includes(scope)));
    const problems = missing.map((group) => `The bot token lacks the scope ${group.join(' or ')}.`);
    if (problems.length > 0) problems.push('Add missing scopes to the app, and install the app again.');
    const mayLook = scopes.includes('channels:read') || scopes.includes('groups:read');
    if (mayLook && !(await client.isInChannel()))
      problems.push(`The bot is not in the channel ${channel}. Invite the bot there.`);
    return problems;
  } catch (error) {
    if (!(error instanceof SlackCallError) || !isSetupProblem(error.failure)) throw error;
    return [`Slack refuses the bot token or the channel ${channel}: ${error.failure.code}.`];
  }
}
