import Box from '@mui/material/Box';
import { StatusDot } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import { isFinished } from '../../lib/status.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { statusLook } from '../../theme.ts';
import { activityOf } from '../timeline/activity.ts';
import { orderedAgents, type StageGroup } from '../timeline/timeline-groups.ts';

// Agents shown at most, because a stage may have dozens of sub-agents; the timeline lists all.
const MAX_AGENTS = 12;

/** Lists what the agents and sub-agents of the running stage do now. */
export function AgentsNow({ group }: { group: StageGroup }) {
  const all = orderedAgents(group);
  const running = all.flatMap((agent) =>
    agent.execution !== null && !isFinished(agent.execution.status)
      ? [{ ...agent, execution: agent.execution }]
      : [],
  );
  if (running.length === 0) return null;
  return (
    <Box component="ul" aria-label="Agents at work" sx={list}>
      {running.slice(0, MAX_AGENTS).map((agent) => {
        const { key, execution, depth } = agent;
        const { tone, label } = statusLook[execution.status];
        return (
          <Box component="li" key={key} title={execution.task ?? undefined} sx={[line, { pl: 2 * depth }]}>
            <StatusDot tone={tone} />
            <Box component="span" sx={name}>
              {execution.agentName}
            </Box>
            <Box component="span" sx={visuallyHidden}>
              {label.toLowerCase()}
            </Box>
            <Box component="span" sx={doing}>
              {activityOf(agent, all) || execution.task || label.toLowerCase()}
            </Box>
            <Box component="span" sx={{ flex: 'none', color: 'text.secondary' }}>
              <Duration start={execution.startedAt} end={execution.completedAt} />
            </Box>
          </Box>
        );
      })}
      {running.length > MAX_AGENTS ? (
        <Box component="li" sx={{ color: 'text.secondary' }}>
          And {running.length - MAX_AGENTS} more.
        </Box>
      ) : null}
    </Box>
  );
}

const list = { listStyle: 'none', m: 0, mt: 1, p: 0, fontSize: '0.8125rem' } as const;
const line = { display: 'flex', alignItems: 'center', gap: 1, minHeight: 24, minWidth: 0 } as const;
const clipped = { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
const name = { ...clipped, flex: '0 1 auto', maxWidth: '50%', fontWeight: 600 } as const;
const doing = { ...clipped, flex: '1 1 0', color: 'text.secondary' } as const;
