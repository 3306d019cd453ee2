import { builder } from '../builder.ts';
import type { AlertTypeInfo } from '../context.ts';

export const AlertType = builder.objectRef<AlertTypeInfo>('AlertType').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    chainId: t.exposeString('chainId'),
    isDefault: t.exposeBoolean('isDefault'),
    description: t.exposeString('description', { description: 'What the chain says of itself.' }),
    stageCount: t.exposeInt('stageCount', {
      description: 'Stages of a whole investigation by this chain, synthesis stages included.',
    }),
  }),
});
