import { factsOf, type Notice } from '../notice.ts';

const OPEN = 'Open the page in the dashboard';
const NO_LINK_ACTION = 'The link only opens the page. Nothing is approved or changed by opening it.';

/** Returns the plain text of a mail. */
export function plainText(notice: Notice): string {
  const { title, toDo, why, call, link } = notice;
  const facts = factsOf(notice).map(({ label, value }) => `${label}: ${value}`);
  return [
    title,
    facts.join('\n'),
    ...(why === null ? [] : [`Why:\n${why}`]),
    ...(call === null ? [] : [`Arguments:\n${call.arguments}`]),
    ...(toDo.length === 0 ? [] : [`To do:\n${toDo.map((text) => `- ${text}`).join('\n')}`]),
    `${OPEN}: ${link}`,
    ...(call === null ? [] : [NO_LINK_ACTION]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns the HTML of a mail. Every text is escaped, and isolated from the text direction around it. */
export function html(notice: Notice): string {
  const { title, toDo, why, call, link } = notice;
  const rows = factsOf(notice).map(
    ({ label, value }) =>
      `<tr><th align="left" valign="top" style="padding:2px 16px 2px 0;color:#555">${label}</th><td style="padding:2px 0"><bdi>${escapeHtml(value)}</bdi></td></tr>`,
  );
  const parts = [
    `<h2 style="margin:0 0 12px"><bdi>${escapeHtml(title)}</bdi></h2>`,
    ...(rows.length === 0 ? [] : [`<table cellspacing="0">${rows.join('')}</table>`]),
    ...(why === null ? [] : [`<h3>Why</h3><p dir="auto">${lines(why)}</p>`]),
    ...(call === null
      ? []
      : [
          `<h3>Arguments</h3><pre dir="auto" style="background:#f4f4f4;padding:12px;white-space:pre-wrap">${escapeHtml(call.arguments)}</pre>`,
        ]),
    ...(toDo.length === 0
      ? []
      : [`<h3>To do</h3><ul>${toDo.map((text) => `<li dir="auto">${lines(text)}</li>`).join('')}</ul>`]),
    `<p><a href="${escapeHtml(link)}">${OPEN}</a></p>`,
    ...(call === null ? [] : [`<p style="color:#555">${NO_LINK_ACTION}</p>`]),
  ];
  return `<!doctype html><html><body style="font-family:sans-serif;font-size:14px">${parts.join('\n')}</body></html>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function lines(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}
