import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVERY } from './gate.ts';
import { cut, killed, scriptSlack, slackStory } from './slack.ts';
import { openSlackLane, type SlackLane } from './slack-lane.ts';
import { SWEEP_LIMIT_MS, sweep } from './sweep.ts';

/** Step between the covered writes: smaller than that of other stories, because this story writes less. */
const STEP = Math.ceil(EVERY / 3);

let lanes: SlackLane[] = [];
beforeAll(async () => {
  lanes = await Promise.all([openSlackLane(), openSlackLane()]);
  for (const { llm } of lanes) scriptSlack(llm);
});
afterAll(() => Promise.all(lanes.map((lane) => lane.stop())));

test.each([
  ['SIGKILL', killed],
  ['connections cut', cut],
])(
  'an alert from Slack has each message and effect once, whatever write is disturbed: %s',
  {
    timeout: SWEEP_LIMIT_MS * 3,
  },
  async (name, disturbance) => {
    const begun = performance.now();
    const covered = await sweep(lanes, { story: slackStory, disturbance, every: STEP });
    expect(covered.length).toBeGreaterThan(0);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    process.stdout.write(
      `slack, ${name}: ${covered.length} places covered (${covered.join(', ')}) on ${lanes.length} lanes in ${seconds} s\n`,
    );
  },
);
