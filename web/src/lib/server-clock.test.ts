import { describe, expect, it } from 'vitest';
import { createServerClock } from './server-clock.ts';

const time = (ms: number): string => new Date(ms).toISOString();

/** Creates a ServerClock over a browser clock that the test controls. */
function clockAt(start: number) {
  const browser = { time: start };
  return { browser, clock: createServerClock(() => browser.time) };
}

describe('createServerClock', () => {
  it('is the browser’s clock until the server reports a time', () => {
    const { clock } = clockAt(5_000);
    expect(clock.now()).toBe(5_000);
  });

  it('continues from the reported time', () => {
    const { browser, clock } = clockAt(5_000);
    clock.note(time(65_000));
    browser.time += 1_500;
    expect(clock.now()).toBe(66_500);
  });

  it('prefers the least delayed answer', () => {
    const { browser, clock } = clockAt(10_000);
    clock.note(time(70_000));
    browser.time = 12_000;
    clock.note(time(71_000)); // the answer took one second longer
    expect(clock.now()).toBe(72_000);
  });

  it('forgets old reports, because either clock may be set', () => {
    const { browser, clock } = clockAt(10_000);
    clock.note(time(70_000));
    browser.time = 100_000;
    clock.note(time(99_000));
    expect(clock.now()).toBe(99_000);
    browser.time = 50_000; // the user sets the clock back
    clock.note(time(100_000));
    expect(clock.now()).toBe(100_000);
  });

  it('ignores an invalid time', () => {
    const { clock } = clockAt(5_000);
    clock.note('soon');
    expect(clock.now()).toBe(5_000);
  });
});
