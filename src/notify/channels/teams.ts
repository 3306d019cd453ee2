import type { GuardedPost } from '../guarded-request.ts';
import { factsOf, type Notice } from '../notice.ts';
import type { Send } from './channel.ts';
import { fitted } from './fitted.ts';

/** Maximum size of a message (bytes); Teams refuses more than 28 KB. */
const MAX_BYTES = 26_000;

export interface ChatOptions {
  url: URL;
  allowPrivate: boolean;
}

/** Returns a channel that posts to the webhook of a Microsoft Teams workflow, which shows the card in a chat or channel. */
export function teamsChannel(post: GuardedPost, { url, allowPrivate }: ChatOptions): Send {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return async ({ notice }, signal) => {
    await post({ url, headers, body: fitted(notice, teamsMessage, MAX_BYTES), allowPrivate }, signal);
    return null;
  };
}

/** Returns a message with one Adaptive Card. Texts are text runs, which neither interpret Markdown nor mention users. */
function teamsMessage(notice: Notice): object {
  const { title, toDo, why, call, link } = notice;
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: 'TARSy: open the dashboard to read this notification.',
    msteams: { width: 'Full' },
    body: [
      rich([run(title, { weight: 'Bolder', size: 'Medium' })]),
      ...factsOf(notice).map(({ label, value }) =>
        rich([run(`${label}: `, { weight: 'Bolder' }), run(value)]),
      ),
      ...(why === null ? [] : section('Why', [rich([run(why)])])),
      ...(call === null
        ? []
        : section('Arguments', [rich([run(call.arguments, { fontType: 'Monospace' })])])),
      ...(toDo.length === 0
        ? []
        : section(
            'To do',
            toDo.map((text) => rich([run(`• ${text}`)])),
          )),
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open the page', url: link }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function section(heading: string, blocks: object[]): object[] {
  return [{ ...rich([run(heading, { weight: 'Bolder' })]), spacing: 'Medium', separator: true }, ...blocks];
}

const rich = (inlines: object[]) => ({ type: 'RichTextBlock', inlines });

const run = (text: string, style: object = {}) => ({ type: 'TextRun', text, ...style });
