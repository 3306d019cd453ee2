/**
 * True while an input method composes a word: its keys complete or drop the word, and must do nothing else. Safari ends
 * the composition before it reports the Enter key, which then has the key code of a composed key.
 */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === COMPOSED;
}

const COMPOSED = 229;
