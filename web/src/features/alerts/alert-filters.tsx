import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useId, useState } from 'react';
import { CommittedTextField } from '../../components/committed-text-field.tsx';
import { SlidersIcon } from '../../components/icons.tsx';
import { filterField, MultiSelect } from '../../components/multi-select.tsx';
import { PeriodField } from '../../components/period-field.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { SEVERITIES, severityName } from '../../components/severity.tsx';
import type { AlertFilterOptionsQuery, AlertState, Severity } from '../../graphql/gen/documents.ts';
import { countFilters, STATES, withoutFilters } from './alerts-view.ts';
import type { AlertsViewState } from './use-alerts-view.ts';

const STATE_NAMES: Readonly<Record<AlertState, string>> = { FIRING: 'Firing', RESOLVED: 'Resolved' };

interface Props {
  readonly list: AlertsViewState;
  readonly options: AlertFilterOptionsQuery | undefined;
}

/** Search and filters of the alert groups. On a phone the filters are collapsed. */
export function AlertFilters({ list: { view, change }, options }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const chosen = countFilters(view);
  return (
    <Box role="search" aria-label="Alert filters" sx={bar}>
      <SearchField
        value={view.search}
        change={(search) => change({ search }, { replace: true })}
        label="Search titles and labels"
        placeholder="Search titles and labels"
        maxLength={200}
      />
      <Button
        variant="outlined"
        startIcon={<SlidersIcon />}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        sx={{ display: { md: 'none' }, minHeight: 38 }}
      >
        {chosen === 0 ? 'Filters' : `Filters (${chosen})`}
      </Button>
      <Box id={id} sx={[fields, { display: { xs: open ? 'grid' : 'none', md: 'flex' } }]}>
        <StateField value={view.state} change={(state) => change({ state })} />
        <MultiSelect
          label="Severity"
          values={view.severity}
          options={SEVERITIES}
          name={(severity) => severityName(severity as Severity)}
          change={(severity) => change({ severity: severity as Severity[] })}
        />
        <MultiSelect
          label="Source"
          values={view.source}
          options={options?.alertSources.map(({ name }) => name)}
          change={(source) => change({ source })}
        />
        <MultiSelect
          label="Alert type"
          values={view.alertType}
          options={options?.alertTypes.map(({ name }) => name)}
          change={(alertType) => change({ alertType })}
        />
        <CommittedTextField
          label="Team"
          value={view.team}
          change={(team) => change({ team })}
          maxLength={100}
        />
        <PeriodField label="Received" value={view} change={change} />
      </Box>
      {chosen === 0 ? null : <Button onClick={() => change(withoutFilters(view))}>Clear filters</Button>}
    </Box>
  );
}

function StateField(props: { value: AlertState | null; change: (state: AlertState | null) => void }) {
  return (
    <TextField
      select
      label="State"
      value={props.value ?? ''}
      onChange={(event) => props.change((event.target.value || null) as AlertState | null)}
      sx={filterField}
    >
      <MenuItem dense value="">
        Any
      </MenuItem>
      {STATES.map((state) => (
        <MenuItem dense key={state} value={state}>
          {STATE_NAMES[state]}
        </MenuItem>
      ))}
    </TextField>
  );
}

const bar = { display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', gap: 1, mb: 1.5 } as const;
const fields = {
  flexWrap: 'wrap',
  gap: 1,
  width: { xs: '100%', md: 'auto' },
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
} as const;
