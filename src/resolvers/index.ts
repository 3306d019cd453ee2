import './mutations/cancel-session.ts';
import './mutations/submit-alert.ts';
import './queries/alert-types.ts';
import './queries/interactions.ts';
import './queries/session.ts';
import './queries/sessions.ts';
import './subscriptions/session-events.ts';
import './subscriptions/sessions-changed.ts';
