import { builder } from './builder.ts';

export const DecideApprovalInput = builder.inputType('DecideApprovalInput', {
  description: 'A decision about a call.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id or UUID of the approval.' }),
    argumentsHash: t.string({
      required: true,
      description: 'Of the arguments that were seen: Approval.argumentsHash.',
    }),
    approve: t.boolean({ required: true, description: 'True approves, false denies.' }),
    comment: t.string({
      description: 'Up to 2,000 characters, masked; the agent is told it when the call is denied.',
    }),
  }),
});
