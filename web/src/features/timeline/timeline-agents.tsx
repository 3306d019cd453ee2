import Box from '@mui/material/Box';
import { type KeyboardEvent, useRef } from 'react';
import { StatusDot } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import type { WithDepth } from '../../lib/flatten-tree.ts';
import { isFinished } from '../../lib/status.ts';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { statusLook } from '../../theme.ts';
import { activityOf } from './activity.ts';
import { type ExecutionGroup, hasFailed, orderedAgents, type StageGroup } from './timeline-groups.ts';
import { AgentLine } from './timeline-stage.tsx';

interface Props {
  readonly group: StageGroup;
  readonly selected: string;
  readonly onSelect: (stageKey: string, agentKey: string) => void;
}

/**
 * Tabs for a stage's parallel agents, each with its status and its error, task or latest activity. Failed
 * agents come first.
 */
export function AgentTabs({ group, selected, onSelect }: Props) {
  const tabs = useRef<HTMLDivElement>(null);
  const agents = orderedAgents(group);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = agents.findIndex(({ key }) => key === selected);
    const next = (index + step + agents.length) % agents.length;
    onSelect(group.key, agents[next]!.key);
    tabs.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  const shown = agents.find(({ key }) => key === selected)?.execution;
  return (
    <Box sx={{ borderBottom: '1px solid', borderColor: 'divider' }}>
      <Box
        ref={tabs}
        role="tablist"
        aria-label="Agents of this stage"
        aria-orientation="vertical"
        onKeyDown={onKeyDown}
        sx={{ p: 0.5 }}
      >
        {agents.map((agent) => (
          <AgentTab
            key={agent.key}
            agent={agent}
            agents={agents}
            isSelected={agent.key === selected}
            onSelect={() => onSelect(group.key, agent.key)}
          />
        ))}
      </Box>
      {shown ? (
        <Box sx={line}>
          <AgentLine execution={shown} />
        </Box>
      ) : null}
    </Box>
  );
}

function AgentTab(props: {
  agent: WithDepth<ExecutionGroup>;
  agents: readonly ExecutionGroup[];
  isSelected: boolean;
  onSelect: () => void;
}) {
  const { execution, items, depth } = props.agent;
  if (execution === null) return null;
  const { tone, label } = statusLook[execution.status];
  const failed = hasFailed(props.agent);
  const activity = activityOf(props.agent, props.agents);
  // A running agent shows what it does, an ended one what it was for.
  const told = isFinished(execution.status) ? (execution.task ?? activity) : activity || execution.task;
  return (
    <Box
      component="button"
      type="button"
      role="tab"
      aria-selected={props.isSelected}
      tabIndex={props.isSelected ? 0 : -1}
      onClick={props.onSelect}
      title={execution.task ?? undefined}
      sx={[tab, { pl: 1 + 2 * depth }]}
    >
      <StatusDot tone={tone} />
      <Box component="span" sx={name}>
        {execution.agentName}
      </Box>
      <Box component="span" sx={failed ? { color: `status.${tone}`, flex: 'none' } : visuallyHidden}>
        {label.toLowerCase()}
      </Box>
      <Box component="span" sx={doing}>
        {execution.errorMessage ?? told}
      </Box>
      <Box component="span" sx={numbers}>
        {items.length}
        <Box component="span" sx={visuallyHidden}>
          {items.length === 1 ? ' entry' : ' entries'}
        </Box>
        {' · '}
        <Duration start={execution.startedAt} end={execution.completedAt} />
      </Box>
    </Box>
  );
}

const tab = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  width: '100%',
  minHeight: 32,
  px: 1,
  border: 0,
  borderRadius: 1,
  font: 'inherit',
  fontSize: '0.8125rem',
  color: 'inherit',
  textAlign: 'left',
  background: 'none',
  cursor: 'pointer',
  '&[aria-selected="true"]': { bgcolor: 'well', boxShadow: 'inset 3px 0 0 var(--mui-palette-primary-main)' },
  '&:focus-visible': { outlineOffset: -2 },
} as const;
const clipped = { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
const name = { ...clipped, flex: '0 1 auto', maxWidth: '50%', fontWeight: 600 } as const;
const doing = { ...clipped, flex: '1 1 0', color: 'text.secondary' } as const;
const numbers = { flex: 'none', color: 'text.secondary', whiteSpace: 'nowrap' } as const;
const line = { px: 1.5, pb: 0.75, fontSize: '0.75rem', color: 'text.secondary' } as const;
