import type { PostedBlock, PostedMessage } from '../helpers/slack/types.ts';

/**
 * Returns an HTML page that shows a message as Slack does: the blocks of Block Kit that TARSy posts. Other blocks and
 * emoji are refused, so that a picture lacks nothing.
 */
export function slackPage({ blocks = [] }: PostedMessage, at: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${STYLE}</style></head><body>
<article><div class="face">T</div><div class="message"><header><b>TARSy</b><span class="app">APP</span><time>${at}</time></header>
${blocks.map(blockHtml).join('\n')}
</div></article></body></html>`;
}

type Text = PostedBlock['text'];

function blockHtml({ type, text, fields, elements = [] }: PostedBlock): string {
  if (type === 'divider') return '<hr>';
  if (type === 'context') return `<p class="context">${elements.map(textHtml).join(' ')}</p>`;
  if (type === 'actions') return `<p class="actions">${elements.map(buttonHtml).join('')}</p>`;
  if (type !== 'section') throw new Error(`The picture of a block of type ${type} is unknown.`);
  if (fields)
    return `<div class="fields">${fields.map((field) => `<p>${textHtml(field)}</p>`).join('')}</div>`;
  return `<p>${textHtml(text)}</p>`;
}

function buttonHtml(element: NonNullable<PostedBlock['elements']>[number]): string {
  const { style = '', text } = element as unknown as { style?: string; text: Text };
  return `<button class="${style}">${textHtml(text)}</button>`;
}

/** Texts come escaped, because Slack asks for the entities that HTML has. */
function textHtml({ type, text }: Text): string {
  if (type === 'plain_text') return text;
  return text
    .replace(/<([^|>]+)\|([^>]+)>/g, '<a>$2</a>')
    .replace(/\*([^*\n]+)\*/g, '<b>$1</b>')
    .replace(/:([a-z_]+):/g, (_, name: string) => emojiHtml(name));
}

/** Shapes in place of a font of emoji, which a machine may lack. */
const EMOJI: Readonly<Record<string, string>> = {
  red_circle: '<circle cx="8" cy="8" r="7" fill="#dd2e44"/>',
  large_yellow_circle: '<circle cx="8" cy="8" r="7" fill="#fdcb58"/>',
  white_check_mark:
    '<rect x="1" y="1" width="14" height="14" rx="3" fill="#77b255"/><path d="M4 8.5l3 3 5.5-7" fill="none" stroke="#fff" stroke-width="2"/>',
  hourglass_flowing_sand:
    '<path d="M3 1h10v3L9.5 8l3.5 4v3H3v-3l3.5-4L3 4z" fill="#ffe8b6" stroke="#3b88c3"/><path d="M5 13.5l3-3 3 3zM5.5 4h5L8 7z" fill="#ffac33"/>',
  raised_hand:
    '<path d="M5 8V3a1 1 0 0 1 2 0v4V2a1 1 0 0 1 2 0v5V3a1 1 0 0 1 2 0v6l1.5-2a1 1 0 0 1 1.700 1L11.5 13a4 4 0 0 1-7.5-1.5L3 8a1 1 0 0 1 1.900-.6z" fill="#ffdc5d" stroke="#ef9645" stroke-width=".6"/>',
};

function emojiHtml(name: string): string {
  const shape = EMOJI[name];
  if (shape === undefined) throw new Error(`The picture of the emoji ${name} is unknown.`);
  return `<svg class="emoji" viewBox="0 0 16 16">${shape}</svg>`;
}

const STYLE = `
:root{color-scheme:light dark;--back:#fff;--text:#1d1c1d;--soft:#616061;--line:#c9c9c9;--link:#1264a3;--app:#e8e8e8}
@media (prefers-color-scheme:dark){:root{--back:#1a1d21;--text:#d1d2d3;--soft:#ababad;--line:#565856;--link:#1d9bd1;--app:#34373b}}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.47 Lato,"DejaVu Sans",Arial,sans-serif}
article{display:flex;gap:10px;padding:16px 20px}
.face{flex:none;width:36px;height:36px;border-radius:6px;background:#4338ca;color:#fff;font-weight:700;display:grid;place-items:center}
.message{min-width:0;max-width:640px}header{display:flex;gap:6px;align-items:baseline}
.app{font-size:10px;padding:1px 3px;border-radius:2px;background:var(--app);color:var(--soft);font-weight:700}
time{font-size:12px;color:var(--soft)}p{margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere}
.context{font-size:13px;color:var(--soft)}a{color:var(--link)}hr{border:0;border-top:1px solid var(--line)}
.fields{display:grid;grid-template-columns:1fr 1fr;column-gap:16px}
button{font:inherit;font-weight:700;font-size:13px;margin:0 8px 8px 0;padding:4px 12px;border:1px solid var(--line);border-radius:4px;background:none;color:inherit}
.primary{background:#007a5a;border-color:#007a5a;color:#fff}.danger{background:#e01e5a;border-color:#e01e5a;color:#fff}
.emoji{width:1.1em;height:1.1em;vertical-align:-.2em}
`;
