import { builder, objectType } from '../builder.ts';
import type { AlertTypeInfo } from '../views.ts';

const AlertType = objectType<AlertTypeInfo>(
  'AlertType',
  'A kind of alert, and the chain of agents that investigates it.',
  (t) => ({
    name: t.exposeString('name', { description: 'Name, as accepted by `SubmitAlertInput.alertType`.' }),
    chainId: t.exposeString('chainId', { description: 'Name of the chain in the configuration.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'True if alerts without a type get this type.' }),
    description: t.exposeString('description', { description: 'Description of the chain.' }),
    stageCount: t.exposeInt('stageCount', {
      description: 'Number of stages of a complete investigation, synthesis stages included.',
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
