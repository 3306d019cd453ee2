import type { ServerResponse } from 'node:http';

/** Path of the notice's style sheet, a separate file because the content security policy forbids inline styles. */
export const STYLE_PATH = '/auth/notice.css';

const STYLE = `:root { color-scheme: light dark; --back: #ffffff; --text: #1c2430; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --back: #12161c; --text: #e6eaf0; --link: #8ab4f8; } }
html { background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 32rem; margin: 15vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.25rem; }
a { color: var(--link); }
`;

export function sendStyle(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'max-age=3600' });
  res.end(STYLE);
}

interface Notice {
  status: number;
  text: string;
  /** Path below which the dashboard is served; '' at the root. */
  subPath: string;
}

export function sendNotice(res: ServerResponse, { status, text, subPath }: Notice): void {
  const shown = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  res.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not signed in · TARSy</title>
<link rel="stylesheet" href="${subPath}${STYLE_PATH}">
</head>
<body>
<main>
<h1>Not signed in</h1>
<p>${shown}</p>
<p><a href="${subPath}/">Try again</a></p>
</main>
</body>
</html>
`);
}
