import { NotFoundError, ShuttingDownError, TooManyAlertsError } from '../../common/errors.ts';
import type { ScheduleView } from '../../schedules/index.ts';
import { builder, objectType } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import { mutationResult, orDeclared } from './errors.ts';
import { SessionRef } from './refs.ts';

const ScheduleRef = objectType<ScheduleView>('Schedule', 'An investigation that starts by itself.', (t) => ({
  name: t.exposeString('name', { description: 'Name in the configuration.' }),
  alertType: t.string({
    description: 'Alert type, which selects the chain.',
    resolve: ({ alertType }, _args, { alertTypes }) =>
      alertType ?? alertTypes.find(({ isDefault }) => isDefault)?.name ?? '',
  }),
  text: t.exposeString('text', { description: 'Text that the agents investigate.' }),
  team: t.exposeString('team', {
    nullable: true,
    description: 'Configured team; null if that of the chain.',
  }),
  cron: t.exposeString('cron', { nullable: true, description: 'Times; null if only deliveries start it.' }),
  timeZone: t.exposeString('timeZone', { description: 'Time zone of the times.' }),
  after: t.exposeString('after', {
    nullable: true,
    description: 'Alert source whose deliveries start a run; null if only times do.',
  }),
  lastRun: t.field({
    type: SessionRef,
    nullable: true,
    extensions: queryCost({ own: 2 }),
    description: 'Session of the last run; null if there is none, or if it is deleted.',
    resolve: ({ lastSessionId }, _args, { loaders }) =>
      lastSessionId === null ? null : loaders.session.load(lastSessionId),
  }),
  nextRunAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Next time; null without times, and while it is off.',
    resolve: ({ nextRunAt }) => nextRunAt,
  }),
  enabled: t.exposeBoolean('enabled', { description: 'False if it is off in the configuration.' }),
}));

builder.queryField('schedules', (t) =>
  t.field({
    type: [ScheduleRef],
    extensions: queryCost({ rows: 20 }),
    description: 'Configured schedules that the viewer may see, in the order of the configuration.',
    resolve: (_root, _args, { schedules, viewer }) => schedules.list(viewer.teams),
  }),
);

const RunSchedule = mutationResult('RunSchedule', [NotFoundError, ShuttingDownError, TooManyAlertsError], {
  description: 'The run is stored and queued.',
  field: { session: { type: SessionRef, description: 'Session of the run.' } },
});

builder.mutationField('runSchedule', (t) =>
  t.field({
    type: RunSchedule.type,
    description: 'Starts a run of a schedule now, also if it is off or runs already.',
    args: { name: t.arg.string({ required: true, description: 'Name of the schedule.' }) },
    resolve: (_root, { name }, { schedules, viewer }) => orDeclared(schedules.run(name, viewer), RunSchedule),
  }),
);
