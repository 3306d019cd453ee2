/** What emotion asks a sheet for, and gives it. */
interface SheetOptions {
  readonly key: string;
  readonly container: Node;
  readonly nonce?: string;
}

/**
 * The style sheet that emotion writes its rules to, as a constructed one: `<style>` elements would need
 * `'unsafe-inline'` or a nonce for each page in the Content-Security-Policy, a sheet made by script needs neither.
 * The members are those of @emotion/sheet, which emotion makes new ones of by `constructor`.
 */
export class AdoptedSheet {
  readonly key: string;
  readonly container: Node;
  readonly nonce: string | undefined;
  readonly isSpeedy = true;
  before: unknown = null;
  // Not empty once there are rules: emotion then replaces a global sheet's rules and does not only add to them.
  tags: { readonly nextElementSibling: null }[] = [];
  private readonly sheet = new CSSStyleSheet();

  constructor({ key, container, nonce }: SheetOptions) {
    this.key = key;
    this.container = container;
    this.nonce = nonce;
    const others = document.adoptedStyleSheets;
    // Global rules go first, so that a component's own win over them.
    document.adoptedStyleSheets = key.endsWith('-global') ? [this.sheet, ...others] : [...others, this.sheet];
  }

  insert(rule: string): void {
    try {
      this.sheet.insertRule(rule, this.sheet.cssRules.length);
    } catch {
      // A selector that only another browser knows: this one goes without the rule.
    }
    if (this.tags.length === 0) this.tags.push({ nextElementSibling: null });
  }

  /** Nothing is rendered on a server that could be taken over. */
  hydrate(): void {}

  flush(): void {
    this.sheet.replaceSync('');
    this.tags = [];
  }
}
