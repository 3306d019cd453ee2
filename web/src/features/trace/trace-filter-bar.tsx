import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { ChoiceField } from '../../components/choice-field.tsx';
import { MultiSelect } from '../../components/multi-select.tsx';
import {
  failuresOf,
  formatTraceFilter,
  KINDS,
  type Kind,
  parseTraceFilter,
  scopesOf,
  type TraceFilter,
} from './trace-filter.ts';
import type { TraceSession } from './trace-model.ts';

interface Props {
  readonly session: TraceSession;
  readonly filter: TraceFilter;
  readonly change: (change: (now: URLSearchParams) => URLSearchParams, options: { replace: boolean }) => void;
}

const CHOICES = Object.entries(KINDS).map(([value, name]) => ({ value, name }));

/** Filters the interactions by kind, failure, stage and agent. */
export function TraceFilterBar({ session, filter, change }: Props) {
  const scopes = scopesOf(session);
  const set = (part: Partial<TraceFilter>): void =>
    change((now) => formatTraceFilter({ ...parseTraceFilter(now), ...part }), { replace: true });
  const failures = failuresOf(session);
  return (
    <Box role="search" aria-label="Interaction filters" sx={bar}>
      <ChoiceField
        label="Show"
        choices={CHOICES}
        chosen={[filter.kind]}
        change={([kind]) => set({ kind: kind as Kind })}
        width={160}
      />
      {scopes.length > 1 ? (
        <MultiSelect
          label="Stage or agent"
          values={filter.scopes}
          options={scopes.map(({ value }) => value)}
          name={(value) => scopes.find((scope) => scope.value === value)?.name ?? value}
          change={(chosen) => set({ scopes: chosen })}
          width={160}
        />
      ) : null}
      <FormControlLabel
        control={
          <Checkbox
            size="small"
            checked={filter.failed}
            disabled={failures === 0 && !filter.failed}
            onChange={(event) => set({ failed: event.target.checked })}
          />
        }
        label={failures === 0 ? 'No failures' : `Failures only (${failures})`}
        sx={{ m: 0 }}
      />
    </Box>
  );
}

const bar = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1.5 } as const;
