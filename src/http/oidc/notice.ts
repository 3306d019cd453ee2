import type { ServerResponse } from 'node:http';

/** Tells a page's reader why they are not let in. `text` is one of ours, with nothing in it that needs escaping but names. */
export function sendNotice(res: ServerResponse, status: number, text: string): void {
  const shown = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  res.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Sign in · TARSy</title>
<h1>Not signed in</h1>
<p>${shown}</p>
<p><a href="/">Try again</a></p>
</html>
`);
}
