/** Matches characters that are invisible, look like a space, or change the order of others. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Returns a value as indented JSON with its hidden characters escaped, so that an approver sees all of it. */
export function visibleJson(value: unknown): string {
  const escaped = (character: string) =>
    character === '\n'
      ? character
      : [...character.split('')]
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join('');
  return JSON.stringify(value, null, 2).replace(HIDDEN, escaped);
}
