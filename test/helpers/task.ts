import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Time limit of a step (ms), for a busy machine. */
const PATIENCE_MS = 30_000;

/** A user's task on a page, with the number of actions and the time that it takes. */
export interface Task {
  click(target: Locator): Promise<void>;
  /** Fills in a field. Any text counts as one action. */
  write(target: Locator, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** Asserts that the targets are entirely in the window, so that no scrolling is needed. */
  expectSeen(...targets: Locator[]): Promise<void>;
  readonly actions: number;
  /** Time since the task began (ms). */
  took(): number;
}

/** How the user acts: with a pointer, or with the keyboard alone. */
export type Hand = 'pointer' | 'keyboard';

/**
 * Starts a task. Scrolling to a target outside the window counts as an action. With the keyboard, moving the focus does
 * not count.
 */
export function startTask(page: Page, hand: Hand = 'pointer'): Task {
  const began = performance.now();
  let actions = 0;
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor({ timeout: PATIENCE_MS });
    if (hand === 'keyboard') await moveFocus(page, target);
    else if (!(await isSeen(target))) actions += 1;
    actions += 1;
  };
  return {
    async click(target) {
      await reach(target);
      if (hand === 'keyboard') await page.keyboard.press('Enter');
      else await target.click();
    },
    async write(target, text) {
      await reach(target);
      if (hand === 'keyboard') await page.keyboard.type(text);
      else await target.fill(text);
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

/** Maximum number of key presses until an element has the focus. */
const MAX_STEPS = 250;

/** Moves the focus to the target by Tab, in a menu by the arrow keys. Asserts that the focus is visible at the end. */
async function moveFocus(page: Page, target: Locator): Promise<void> {
  const key = await target.evaluate((element) => (element.closest('[role="menu"]') ? 'ArrowDown' : 'Tab'));
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      expect(await isSeen(target), `the focus on ${target} is visible`).toBe(true);
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${target} is not reached by ${MAX_STEPS} presses of ${key}`);
}

/** True if the element is entirely in the window and nothing covers its centre. */
const isSeen = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const inside = top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth;
    const onTop = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return inside && onTop !== null && (element.contains(onTop) || onTop.contains(element));
  });
