/** Copies a text to the clipboard. Fails on plain HTTP pages, except on localhost, because they have no clipboard. */
export async function copyText(text: string): Promise<'done' | 'failed'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'done';
  } catch {
    return 'failed';
  }
}
