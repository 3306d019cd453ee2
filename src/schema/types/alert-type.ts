import { builder, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import type { AlertTypeInfo } from '../views.ts';

const PlannedStage = objectType<AlertTypeInfo['stages'][number]>(
  'PlannedStage',
  'A stage of a complete investigation, as configured now.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name, as `Stage.name` has it.' }),
    type: t.expose('type', { type: enums.StageType, description: 'Purpose of the stage.' }),
    agents: t.field({
      type: ['String'],
      description: 'Names of its agents, as `AgentExecution.agentName` has them.',
      resolve: ({ agents }) => [...agents],
    }),
  }),
);

const AlertType = objectType<AlertTypeInfo>(
  'AlertType',
  'A kind of alert, and the chain of agents that investigates it.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name, as accepted by `SubmitAlertInput.alertType`.' }),
    chainId: t.exposeString('chainId', { description: 'Name of the chain in the configuration.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'True if alerts without a type get this type.' }),
    description: t.exposeString('description', { description: 'Description of the chain.' }),
    stageCount: t.field({
      type: 'Int',
      description: 'Number of stages of a complete investigation, synthesis stages included.',
      resolve: ({ stages }) => stages.length,
    }),
    stages: t.field({
      type: [PlannedStage],
      description: 'Stages of a complete investigation in order, synthesis stages included.',
      resolve: ({ stages }) => [...stages],
    }),
  }),
);

builder.queryField('alertTypes', (t) =>
  t.field({
    type: [AlertType],
    description: 'Configured alert types.',
    resolve: (_root, _args, { alertTypes }) => [...alertTypes],
  }),
);
