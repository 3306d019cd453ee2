import type { ALERT_STATES, INTAKE_OUTCOMES, SEVERITIES } from '../db/enums.ts';
import { builder } from './builder.ts';
import { described } from './described.ts';

export const AlertState = builder.enumType('AlertState', {
  description: 'Whether what an alert tells of goes on, as its source says.',
  values: described<typeof ALERT_STATES>({ FIRING: 'It goes on.', RESOLVED: 'It is over.' }),
});

export const Severity = builder.enumType('Severity', {
  description: 'How bad a source says that it is, worst first.',
  values: described<typeof SEVERITIES>({
    CRITICAL: 'Such as critical, fatal, disaster, page, P1.',
    ERROR: 'Such as error, high, major, P2.',
    WARNING: 'Such as warning, medium, average, P3.',
    INFO: 'Such as info, low, notice, P4.',
    UNKNOWN: 'It does not say, or in words that mean nothing here.',
  }),
});

export const IntakeOutcome = builder.enumType('IntakeOutcome', {
  description: 'What became of an alert that was delivered.',
  values: described<typeof INTAKE_OUTCOMES>({
    INVESTIGATED: 'A session was made for it.',
    JOINED: 'A session of its group waits or runs.',
    DUPLICATE: 'Nothing new since the last delivery, and what was decided then still stands.',
    RECENTLY_INVESTIGATED: 'Its group was investigated within reinvestigate_after.',
    EXCLUDED: 'A rule says never.',
    SILENCED: 'A silence covers it.',
    STORM: 'Too many groups at once: it is part of the one session about all of them.',
    FLAPPING: 'It begins and ends again and again.',
    OVER_BUDGET: 'A budget is used up.',
    RESOLVED: 'The source says that it is over, or it was not told of for long.',
    CANARY: 'The test that the pipeline makes of itself.',
    REJECTED: 'The delivery was refused.',
  }),
});
