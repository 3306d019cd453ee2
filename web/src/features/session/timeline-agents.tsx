import Box from '@mui/material/Box';
import { type KeyboardEvent, useRef } from 'react';
import { StatusDot } from '../../components/status-chip.tsx';
import { Duration } from '../../components/time.tsx';
import { visuallyHidden } from '../../lib/visually-hidden.ts';
import { statusLook } from '../../theme.ts';
import type { StageGroup } from './timeline-groups.ts';
import { AgentLine } from './timeline-stage.tsx';

interface Props {
  readonly group: StageGroup;
  readonly chosen: string;
  readonly choose: (stageKey: string, agentKey: string) => void;
}

/** The agents that work side by side in a stage: how each stands, and whose work is shown below. */
export function AgentTabs({ group, chosen, choose }: Props) {
  const tabs = useRef<HTMLDivElement>(null);
  const agents = group.executions.filter(({ execution }) => execution !== null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = agents.findIndex(({ key }) => key === chosen);
    const next = (at + step + agents.length) % agents.length;
    choose(group.key, agents[next]!.key);
    tabs.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  const shown = agents.find(({ key }) => key === chosen)?.execution;
  return (
    <Box sx={{ borderBottom: '1px solid', borderColor: 'divider' }}>
      <Box ref={tabs} role="tablist" aria-label="Agents of this stage" onKeyDown={onKeyDown} sx={list}>
        {agents.map(({ key, execution, items }) => {
          const { tone, label } = statusLook[execution!.status];
          return (
            <Box
              key={key}
              component="button"
              type="button"
              role="tab"
              aria-selected={key === chosen}
              tabIndex={key === chosen ? 0 : -1}
              onClick={() => choose(group.key, key)}
              sx={tab}
            >
              <StatusDot tone={tone} />
              <Box component="span" sx={tabName}>
                {execution!.agentName}
              </Box>
              <Box component="span" sx={visuallyHidden}>
                {`, ${label.toLowerCase()}, `}
              </Box>
              <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
                {items.length}
                <Box component="span" sx={visuallyHidden}>
                  {items.length === 1 ? ' entry' : ' entries'}
                </Box>
              </Box>
            </Box>
          );
        })}
      </Box>
      {shown ? (
        <Box sx={line}>
          <AgentLine execution={shown} />
          <Box sx={{ ml: 'auto', flex: 'none' }}>
            {statusLook[shown.status].label} · <Duration start={shown.startedAt} end={shown.completedAt} />
          </Box>
        </Box>
      ) : null}
    </Box>
  );
}

const list = { display: 'flex', overflowX: 'auto', px: 0.5 } as const;
const tab = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.75,
  flex: 'none',
  maxWidth: 280,
  minHeight: 36,
  px: 1.25,
  border: 0,
  borderBottom: '2px solid transparent',
  font: 'inherit',
  fontSize: '0.8125rem',
  fontWeight: 600,
  color: 'text.secondary',
  background: 'none',
  cursor: 'pointer',
  '&[aria-selected="true"]': { color: 'text.primary', borderColor: 'primary.main' },
  '&:focus-visible': { outlineOffset: -3 },
} as const;
const tabName = { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;
const line = {
  display: 'flex',
  gap: 1,
  alignItems: 'center',
  px: 1.5,
  py: 0.5,
  fontSize: '0.75rem',
  color: 'text.secondary',
} as const;
