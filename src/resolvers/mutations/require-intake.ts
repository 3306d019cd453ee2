import type { Intake } from '../../intake/index.ts';
import type { Context } from '../../schema/context.ts';

/** The intake of this process: every one that serves the API has it. */
export function requireIntake({ intake }: Context): Intake {
  if (intake === null) throw new Error('this process takes no deliveries');
  return intake;
}
