import { builder } from '../builder.ts';
import type { AlertTypeInfo } from '../views.ts';

export const AlertType = builder.objectRef<AlertTypeInfo>('AlertType').implement({
  description: 'A kind of alert, and the chain of agents that investigates it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As `SubmitAlertInput.alertType` takes it.' }),
    chainId: t.exposeString('chainId', { description: 'Name of the chain in the configuration.' }),
    isDefault: t.exposeBoolean('isDefault', {
      description: 'Whether alerts without a type are of this one.',
    }),
    description: t.exposeString('description', { description: 'What the chain says of itself.' }),
    stageCount: t.exposeInt('stageCount', {
      description: 'Stages of a whole investigation by this chain, synthesis stages included.',
    }),
  }),
});
