/** Puts a text on the clipboard: there is none on a page that is served over plain HTTP from another host. */
export async function copyText(text: string): Promise<'done' | 'failed'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'done';
  } catch {
    return 'failed';
  }
}
