import type { GuardedPost } from '../guarded-request.ts';
import { factsOf, type Notice } from '../notice.ts';
import type { Send } from './channel.ts';
import { fitted } from './fitted.ts';
import type { ChatOptions } from './teams.ts';

/** Maximum size of a message (bytes); Mattermost refuses posts of more than 16,383 characters. */
const MAX_BYTES = 16_000;

/** Returns a channel that posts to an incoming webhook of Mattermost. */
export function mattermostChannel(post: GuardedPost, { url, allowPrivate }: ChatOptions): Send {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return async ({ notice }, signal) => {
    await post({ url, headers, body: fitted(notice, mattermostMessage, MAX_BYTES), allowPrivate }, signal);
    return null;
  };
}

function mattermostMessage(notice: Notice): { text: string } {
  const { title, toDo, why, call, link } = notice;
  const parts = [
    `**${escapeMarkdown(title)}**`,
    factsOf(notice)
      .map(({ label, value }) => `**${label}:** ${escapeMarkdown(value)}`)
      .join('\n'),
    ...(why === null ? [] : [`**Why**\n${escapeMarkdown(why)}`]),
    ...(call === null ? [] : [`**Arguments**\n${codeBlock(call.arguments)}`]),
    ...(toDo.length === 0
      ? []
      : [`**To do**\n${toDo.map((text) => `- ${escapeMarkdown(text)}`).join('\n')}`]),
    `[Open the page](<${link}>)`,
  ];
  return { text: parts.filter((part) => part !== '').join('\n\n') };
}

/** Keeps a mention from being one; Mattermost has no escape for `@`. */
const WORD_JOINER = '\u2060';

/** Escapes Markdown, and breaks mentions such as `@channel` and links to channels such as `~town`. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|~>]/g, '\\$&').replace(/[@＠]/g, `$&${WORD_JOINER}`);
}

/** Returns a fenced block. The fence is longer than every run of backticks in the text, so that the text cannot end it. */
function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
