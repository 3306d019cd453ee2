import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { insertRow } from '../../../test/helpers/http-api.ts';
import { insertInvestigation } from '../../../test/helpers/investigation.ts';
import { createTestDatabase } from '../../../test/helpers/postgres.ts';
import type { PlannedStage } from '../run-context/chain-plan.ts';
import type { SessionRun } from '../run-context/types.ts';
import { synthesisStage } from './stage-plans.ts';

test('a synthesis gets the work of each agent, and that of its sub-agents after it', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => pool.end().then(database.drop));
  const { session, stage, execution } = await insertInvestigation(pool);
  const own = { session_id: session, stage_id: stage, iteration_strategy: 'LANGCHAIN' };
  const add = (name: string, index: number, parent: string | null) =>
    insertRow(pool, 'agent_executions', {
      ...{ ...own, agent_name: name, agent_index: index, parent_execution_id: parent },
    });
  const child = await add('Child', 2, execution);
  await add('Grandchild', 3, child);
  await add('Second', 4, null);
  const run = { db: pool, session: { id: session }, subject: { alert: 'disk' } } as unknown as SessionRun;
  const resolved = { agentName: 'Synthesizer', customInstructions: 'Be brief.' };
  const planned = { name: 'look', synthesizer: resolved } as unknown as PlannedStage;
  const [plan] = await synthesisStage(run, planned, 2, stage).agents();
  expect(plan!.task).toMatchObject({ alert: 'disk', instructions: 'Be brief.' });
  expect(plan!.task.works!.map(({ agent }) => agent)).toEqual(['HostAgent', 'Child', 'Grandchild', 'Second']);
});
