import { z } from 'zod';
import { isTerminalStatus, type SessionStatus } from '../../../db/enums.ts';
import { uuidOf } from '../../../schema/ids.ts';
import { askedBefore, askForApproval, decide, type PendingApproval } from '../approval-request.ts';
import { OperationError } from '../run-operation.ts';
import { defineTool } from '../tool.ts';
import { readUntil } from '../wait.ts';
import { investigationId, sessionUrl, waitInput } from './shared.ts';

interface Investigation {
  id: string;
  status: SessionStatus;
  waitingFor: { message: string } | null;
  currentStage: { name: string } | null;
  approvals: PendingApproval[];
}

const QUERY = `query McpInvestigation($id: ID!) { session(id: $id) {
  id title alertType severity status author team createdAt completedAt labels errorMessage cancelReason
  waitingFor { reason message until } currentStage { name }
  report { verdict headline confidence entities evidenceScore agreement { runs agreeing }
    claims { kind text status problem onlyUntrusted citations { source quote } } }
  hypotheses { text state agent } executiveSummary finalAnalysis
  approvals { id status server tool arguments argumentsHash reason mayDecide expiresAt } } }`;

export const getInvestigation = defineTool({
  name: 'get_investigation',
  title: 'Read an investigation',
  description:
    'Returns state, verdict, claims with their proof, hypotheses and analysis of an investigation. With wait_seconds it waits for the ' +
    'end. If a call of the investigation needs an approval that you may give, your user is asked.',
  input: z.object({ id: investigationId, wait_seconds: waitInput }),
  readOnly: false,
  async call({ id, wait_seconds }, context) {
    const { run, dashboardUrl, mayAsk, answers, state } = context;
    await decide(run, answers);
    const asked = askedBefore(state, answers);
    const toAsk = (session: Investigation) => (mayAsk ? askForApproval(session.approvals, asked) : null);
    const session = await readUntil(
      {
        read: async () => {
          const found = await run<{ session: Investigation | null }>(QUERY, { id });
          if (found.session === null)
            throw new OperationError('NOT_FOUND', 'There is no investigation with this id.');
          return found.session;
        },
        isDone: (found) => isTerminalStatus(found.status) || toAsk(found) !== null,
        describe: ({ status, currentStage, waitingFor }) =>
          waitingFor?.message ?? (currentStage === null ? status : `Stage ${currentStage.name}`),
        seconds: wait_seconds,
      },
      context,
    );
    const uuid = uuidOf(session.id);
    return toAsk(session) ?? { ...session, id: uuid, url: sessionUrl(dashboardUrl, uuid) };
  },
});
