import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import { builder, nodeType } from '../builder.ts';
import { queryCost } from '../query-cost.ts';
import { changeVisible } from '../root-fields.ts';
import { mutationResult } from './errors.ts';
import { HintRef, SessionRef } from './refs.ts';

nodeType(
  HintRef,
  'A hint of a responder for the agents of a running session. Never evidence for a claim.',
  (t) => ({
    author: t.string({
      description: 'User or token that added it, as in `Session.author`.',
      resolve: ({ metadata }) => String(metadata?.author ?? ''),
    }),
    text: t.exposeString('content', { description: 'The hint, masked.' }),
    agent: t.string({
      nullable: true,
      description: 'Name of the agent that it is for; null for all agents.',
      resolve: ({ metadata }) => (metadata?.agent == null ? null : String(metadata.agent)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    deliveredAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the agents that it is for had read it; null until then, and if none did.',
      resolve: ({ id }, _args, { loaders }) => loaders.hintDelivery.load(id),
    }),
  }),
);

builder.objectField(SessionRef, 'hints', (t) =>
  t.field({
    type: [HintRef],
    extensions: queryCost({ rows: 1 }),
    description: 'Hints of responders, oldest first; at most 20.',
    resolve: ({ id }, _args, { loaders }) => loaders.hintsOfSession.load(id),
  }),
);

const AddHintInput = builder.inputType('AddHintInput', {
  description: 'A hint for the agents of a session that has not ended.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Global id or UUID of the session.' }),
    text: t.string({ required: true, description: '1 to 4,000 bytes of UTF-8.' }),
    agent: t.string({ description: 'Name of the agent that it is for. Default: all agents.' }),
  }),
});

const AddHint = mutationResult('AddHint', [ValidationError, NotFoundError, ConflictError], {
  description: 'The hint is stored. Each agent reads it before its next model call.',
  field: { hint: { type: HintRef, description: 'The hint.' } },
});

builder.mutationField('addHint', (t) =>
  t.field({
    type: AddHint.type,
    description:
      'Adds a hint to a session that has not ended; at most 20 per session. Agents read it once, also after a crash. A hint is no evidence and permits no action.',
    args: { input: t.arg({ type: AddHintInput, required: true, description: 'The hint.' }) },
    resolve: (_root, { input: { sessionId: id, text, agent = null } }, context) =>
      changeVisible({ result: AddHint, type: 'Session', id, context }, (key) =>
        context.engine.addHint(key, { text, agent }, context.viewer),
      ),
  }),
);

const ConcludeSession = mutationResult('ConcludeSession', [NotFoundError, ConflictError], {
  description: 'The agents conclude now.',
  field: {
    session: { type: SessionRef, description: 'The session; it ends once its agents have concluded.' },
  },
});

builder.mutationField('concludeSession', (t) =>
  t.field({
    type: ConcludeSession.type,
    description:
      'Asks the agents of a running session to conclude from what they have: stops their running calls, and begins no further stage. A session that waits for an approval concludes after the decision.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the session.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: ConcludeSession, type: 'Session', id, context }, (key) =>
        context.engine.concludeSession(key, context.viewer),
      ),
  }),
);
