import { builder } from './builder.ts';
import { AlertStateEnum, SeverityEnum } from './enums.ts';

export const AlertGroupFilter = builder.inputType('AlertGroupFilter', {
  description:
    'Every condition given must hold; a list holds when any of its values does, and is no condition when empty.',
  fields: (t) => ({
    state: t.field({ type: AlertStateEnum, description: 'Fires, or does not.' }),
    severity: t.field({ type: [SeverityEnum], description: 'Has one of these severities.' }),
    source: t.stringList({ description: 'Is of one of these sources.' }),
    alertType: t.stringList({ description: 'Has one of these alert types.' }),
    team: t.stringList({ description: 'Is of one of these teams.' }),
    search: t.string({ description: 'At least 3 characters, any case; looks in titles and labels.' }),
    since: t.field({ type: 'DateTime', description: 'Was told of at or after this moment.' }),
    before: t.field({ type: 'DateTime', description: 'Was last told of before this moment.' }),
  }),
});

export const CreateSilenceInput = builder.inputType('CreateSilenceInput', {
  description: 'Alerts that are not to be investigated for some time.',
  fields: (t) => ({
    matchers: t.stringList({
      required: true,
      description:
        'Such as `namespace="pay"` or `host=~"db-.*"`, as in Alertmanager; all must hold. 1 to 20.',
    }),
    comment: t.string({ required: true, description: 'Why, for people; up to 1,000 characters.' }),
    startsAt: t.field({ type: 'DateTime', description: 'Default: now.' }),
    endsAt: t.field({ type: 'DateTime', required: true, description: 'When it ends by itself.' }),
  }),
});
