/** A part of a sender's section: Markdown prose, or a snippet to paste. */
export type SenderPart =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly label: string; readonly text: string };

/** Setup instructions for one type of source, from docs/intake.md. */
export interface Sender {
  readonly title: string;
  readonly parts: readonly SenderPart[];
}

/** Returns the sections under `## Senders` by type of source. Each section begins with ``### Title: `type` ``. */
export function sendersOf(page: string): Record<string, Sender> {
  const [, senders = ''] = page.split(/^## Senders$/m);
  const sections = senders.split(/^### /m).slice(1);
  return Object.fromEntries(
    sections.map((section) => {
      const [, title, type] = /^(.*): `([a-z-]+)`\n/.exec(section) ?? [];
      if (title === undefined || type === undefined)
        throw new Error(
          `docs/intake.md: expected a heading such as "Name: \`type\`", not ${section.slice(0, 60)}`,
        );
      return [type, { title, parts: partsOf(section.slice(section.indexOf('\n') + 1)) }];
    }),
  );
}

/** Splits a section into prose and fenced code. The words after a fence's language are the snippet's label. */
function partsOf(section: string): SenderPart[] {
  const pieces = section.split(/^```(.*)\n([\s\S]*?)^```$/m);
  const parts: SenderPart[] = [];
  for (let index = 0; index < pieces.length; index += 3) {
    const text = pieces[index]!.trim();
    if (text !== '') parts.push({ kind: 'prose', text });
    const [info, code] = [pieces[index + 1], pieces[index + 2]];
    if (info === undefined || code === undefined) continue;
    const [language = '', ...label] = info.trim().split(' ');
    parts.push({ kind: 'code', language, label: label.join(' ') || 'command', text: code.trimEnd() });
  }
  return parts;
}
