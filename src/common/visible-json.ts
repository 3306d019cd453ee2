/** Characters that a reader cannot see, or that reorder text: controls, formats, fillers, unassigned ones, unusual spaces. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Returns a text in which hidden characters, except line feeds, are written as `\u…`. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) =>
    character === '\n'
      ? character
      : character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

/** Returns a value as JSON in which hidden characters and whitespace are visible. */
export function visibleJson(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2));
}
