/** Copies a text to the clipboard, which is missing on plain HTTP pages of other hosts. */
export async function copyText(text: string): Promise<'done' | 'failed'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'done';
  } catch {
    return 'failed';
  }
}
