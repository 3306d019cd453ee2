import './enums.ts';
import './inputs.ts';
import './scalars.ts';
import './intake-enums.ts';
import './intake-inputs.ts';
import './types/agent-execution.ts';
import './types/alert.ts';
import './types/alert-group.ts';
import './types/alert-source.ts';
import './types/api-token.ts';
import './types/audit-event.ts';
import './types/chat.ts';
import './types/errors.ts';
import './types/intake-decision.ts';
import './types/llm-interaction.ts';
import './types/mcp-interaction.ts';
import './types/message.ts';
import './types/session.ts';
import './types/session-event.ts';
import './types/silence.ts';
import './types/stage.ts';
import './types/timeline-event.ts';
import './types/trace.ts';
import '../resolvers/index.ts';
import { builder } from './builder.ts';
import { countFields } from './counted-fields.ts';

/** The executable schema: the shape and its root fields, in the order in which they are written. */
export const schema = countFields(builder.toSchema({ sortSchema: false }));
