import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const dist = join(root, 'web/dist');

/** Limit of compressed JavaScript (bytes) that loads before the list of sessions is readable. */
const LIST_BUDGET = 150_000;

describe("the dashboard's scripts", () => {
  /** Returns the named scripts and their static imports. */
  function withImports(names: readonly string[], seen = new Set<string>()): Set<string> {
    for (const name of names) {
      if (seen.has(name)) continue;
      seen.add(name);
      const code = readFileSync(join(dist, 'assets', name), 'utf8');
      const imported = [...code.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)];
      withImports(
        imported.map((match) => match[1]!),
        seen,
      );
    }
    return seen;
  }

  const firstScripts = (): string[] =>
    [
      ...readFileSync(join(dist, 'index.html'), 'utf8').matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g),
    ].map((match) => match[1]!);
  const compressed = (name: string): number => statSync(join(dist, 'assets', `${name}.br`)).size;

  test('the list of sessions stays within its budget', () => {
    const scripts = [...withImports(firstScripts())];
    expect(scripts.length).toBeGreaterThan(0);
    const bytes = scripts.reduce((sum, name) => sum + compressed(name), 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(LIST_BUDGET);
  });

  test('other pages load when they are opened', () => {
    const first = withImports(firstScripts());
    const all = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js'));
    for (const page of ['session-page', 'trace-page', 'submit-page', 'system-page', 'shortcuts-dialog']) {
      const chunk = all.find((name) => name.startsWith(`${page}-`));
      expect(chunk, page).toBeDefined();
      expect(first.has(chunk!), page).toBe(false);
    }
    // The list does not need the Markdown parser, which is the largest such part.
    expect(
      [...first].some((name) => readFileSync(join(dist, 'assets', name), 'utf8').includes('micromark')),
    ).toBe(false);
  });
});
