import { isTerminalStatus } from '../../db/enums.ts';
import type { SessionSnapshot } from '../../engine/api/engine.ts';
import { builder, objectType } from '../builder.ts';
import type { Context } from '../context.ts';
import { MAX_PARTICIPANTS } from '../presence.ts';
import { queryCost } from '../query-cost.ts';
import { type AgentNow, type ChangeView, claimViews, type ParticipantView } from '../views.ts';
import { HypothesisRef } from './hypothesis.ts';
import { HintRef, SessionRef, TimelineEventRef } from './refs.ts';
import { ClaimRef } from './report.ts';
import { Waiting, waitingOf } from './waiting.ts';

interface SituationView {
  session: SessionSnapshot;
  since: Date | null;
}

const Participant = objectType<ParticipantView>(
  'Participant',
  'A person or program that follows a session now, or acted on it.',
  (t) => ({
    name: t.exposeString('name', { description: 'User or token, as in `Session.author`.' }),
    role: t.exposeString('role', {
      description:
        'Role of a present viewer, such as `RESPONDER`. Otherwise what the participant did: `hint`, `conclude`, `question`, `review`, `approval`.',
    }),
    present: t.exposeBoolean('present', {
      description: 'True while the participant follows the events of the session through this API process.',
    }),
    since: t.expose('since', {
      type: 'DateTime',
      description: 'When the participant began to follow the session, or first acted on it.',
    }),
  }),
);

const SituationChange = objectType<ChangeView>(
  'SituationChange',
  'A change of a session, in a line.',
  (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
    text: t.exposeString('text', {
      description: 'The change, for people; plain text, partly of tools and models.',
    }),
    timelineEvent: t.field({
      type: TimelineEventRef,
      nullable: true,
      description: 'Event of the change; null for hypotheses and reports.',
      resolve: ({ eventId }, _args, { loaders }) => (eventId ? loaders.timelineEvent.load(eventId) : null),
    }),
  }),
);

const Situation = objectType<SituationView>(
  'Situation',
  'The state of a session at a glance, for people who return to it or join.',
  (t) => ({
    summary: t.string({
      extensions: queryCost({ own: 5 }),
      description: 'Current work, or how the session ended, in a line of plain text.',
      resolve: ({ session }, _args, context) => summaryOf(session, context),
    }),
    known: t.field({
      type: [ClaimRef],
      extensions: queryCost({ own: 10 }),
      description: 'Claims of the report that are SUPPORTED; none before the report.',
      resolve: async ({ session: { id, verdict } }, _args, { loaders }) => {
        if (verdict == null) return [];
        const claims = (await loaders.claimsOfReport.load(id))?.claims ?? [];
        const views = claimViews(claims, { sessionId: id, owner: id });
        return views.filter(({ status }) => status === 'SUPPORTED');
      },
    }),
    hypotheses: t.field({
      type: [HypothesisRef],
      extensions: queryCost({ own: 5, rows: 5 }),
      description: 'As `Session.hypotheses`.',
      resolve: ({ session }, _args, { loaders }) => loaders.hypothesesOfSession.load(session.id),
    }),
    participants: t.field({
      type: [Participant],
      extensions: queryCost({ own: 10, rows: 5 }),
      description: `Present viewers, then others who acted on the session; at most ${MAX_PARTICIPANTS} of each.`,
      resolve: async ({ session: { id } }, _args, { loaders, presence }) => {
        const present = presence.of(id);
        const names = new Set(present.map(({ name }) => name));
        const acted = await loaders.participantsOfSession.load(id);
        return [...present, ...acted.filter(({ name }) => !names.has(name))];
      },
    }),
    waiting: t.field({
      type: Waiting,
      nullable: true,
      description: 'As `Session.waitingFor`.',
      resolve: ({ session }, _args, { loaders }) => waitingOf(session, loaders),
    }),
    hints: t.field({
      type: [HintRef],
      extensions: queryCost({ rows: 1 }),
      description: 'As `Session.hints`.',
      resolve: ({ session }, _args, { loaders }) => loaders.hintsOfSession.load(session.id),
    }),
    changes: t.field({
      type: [SituationChange],
      extensions: queryCost({ own: 20, rows: 10 }), // reads all events of the session
      description:
        'Changes after `since`, the newest last: ended tool calls, hypotheses, hints, errors, approvals, analyses and report. At most the 50 newest.',
      resolve: ({ session, since }, _args, { loaders }) => loaders.changesOfSession(since).load(session.id),
    }),
  }),
);

builder.objectField(SessionRef, 'situation', (t) =>
  t.field({
    type: Situation,
    description: 'The state of the session at a glance.',
    args: {
      since: t.arg({ type: 'DateTime', description: 'Only `changes` after this time. Default: all.' }),
    },
    resolve: (session, { since }) => ({ session, since: since ?? null }),
  }),
);

async function summaryOf(session: SessionSnapshot, { loaders }: Context): Promise<string> {
  if (isTerminalStatus(session.status)) return outcomeOf(session, loaders);
  const waiting = await waitingOf(session, loaders);
  if (waiting !== null) return waiting.message;
  const agents = await loaders.agentsNowOfSession.load(session.id);
  const [first] = agents;
  if (first === undefined) return `${labelOf(session.status)}.`;
  const doing = agents.flatMap((agent) =>
    agent.agent === null ? [] : [`${agent.agent} ${activityOf(agent)}`],
  );
  return `Stage ${first.stage}${doing.length === 0 ? ' is running.' : `: ${doing.join('; ')}.`}`;
}

async function outcomeOf(session: SessionSnapshot, loaders: Context['loaders']): Promise<string> {
  const label = labelOf(session.status);
  const report = session.verdict == null ? null : await loaders.reportOfSession.load(session.id);
  const text = report?.headline ?? session.cancelReason ?? session.errorMessage ?? session.executiveSummary;
  return text ? `${label}: ${text.replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed()}` : `${label}.`;
}

/** Returns a status in words, such as `Timed out`. */
function labelOf(status: string): string {
  const words = status.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns what an agent does now, or did last, in a few words. */
function activityOf({ type, status, tool }: AgentNow): string {
  const running = status === 'STREAMING';
  if (type === 'LLM_TOOL_CALL') return `${running ? 'calls' : 'called'} ${tool}`;
  if (type === 'APPROVAL_REQUESTED') return 'waits for approval';
  if (type === 'FINAL_ANALYSIS') return running ? 'writes the analysis' : 'wrote the analysis';
  if (type === 'LLM_RESPONSE') return running ? 'writes' : 'wrote a response';
  return type === null ? 'starts' : 'works';
}
