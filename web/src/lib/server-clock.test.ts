import { describe, expect, it } from 'vitest';
import { createServerClock } from './server-clock.ts';

const time = (ms: number): string => new Date(ms).toISOString();

/** A browser's clock that the test sets. */
function clockAt(start: number) {
  const browser = { time: start };
  return { browser, clock: createServerClock(() => browser.time) };
}

describe('createServerClock', () => {
  it('is the browser’s clock until the server says otherwise', () => {
    const { clock } = clockAt(5_000);
    expect(clock.now()).toBe(5_000);
  });

  it('goes on from what the server said', () => {
    const { browser, clock } = clockAt(5_000);
    clock.note(time(65_000));
    browser.time += 1_500;
    expect(clock.now()).toBe(66_500);
  });

  it('believes the answer that travelled least', () => {
    const { browser, clock } = clockAt(10_000);
    clock.note(time(70_000));
    browser.time = 12_000;
    clock.note(time(71_000)); // a second under way
    expect(clock.now()).toBe(72_000);
  });

  it('forgets, because either clock may be set', () => {
    const { browser, clock } = clockAt(10_000);
    clock.note(time(70_000));
    browser.time = 100_000;
    clock.note(time(99_000));
    expect(clock.now()).toBe(99_000);
    browser.time = 50_000; // set back
    clock.note(time(100_000));
    expect(clock.now()).toBe(100_000);
  });

  it('takes no notice of what is no time', () => {
    const { clock } = clockAt(5_000);
    clock.note('soon');
    expect(clock.now()).toBe(5_000);
  });
});
