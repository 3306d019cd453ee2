import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** On a busy machine, too. */
const PATIENCE_MS = 30_000;

/** Something that a person wants of the page: their actions are counted, and how long it took is told. */
export interface Task {
  click(target: Locator): Promise<void>;
  /** Writes into a field: one action, however long the text is. */
  write(target: Locator, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** What they came for is there, all of it in the window: nobody has to scroll to it. */
  expectSeen(...targets: Locator[]): Promise<void>;
  readonly actions: number;
  /** Milliseconds since it began. */
  took(): number;
}

/** What is not in the window has to be scrolled to first, which is an action more. */
export function startTask(page: Page): Task {
  const began = performance.now();
  let actions = 0;
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor({ timeout: PATIENCE_MS });
    if (!(await isSeen(target))) actions += 1;
    actions += 1;
  };
  return {
    async click(target) {
      await reach(target);
      await target.click();
    },
    async write(target, text) {
      await reach(target);
      await target.fill(text);
    },
    async press(key) {
      actions += 1;
      await page.keyboard.press(key);
    },
    async expectSeen(...targets) {
      for (const target of targets) {
        await target.waitFor({ timeout: PATIENCE_MS });
        await expect
          .poll(() => isSeen(target), { message: `${target} in the window`, timeout: PATIENCE_MS })
          .toBe(true);
      }
    },
    get actions() {
      return actions;
    },
    took: () => performance.now() - began,
  };
}

/** It is in the window as a whole, and nothing covers its middle. */
const isSeen = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const inside = top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth;
    const onTop = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return inside && onTop !== null && (element.contains(onTop) || onTop.contains(element));
  });
