import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { CommittedTextField } from '../../components/committed-text-field.tsx';
import { MultiSelect } from '../../components/multi-select.tsx';
import { PeriodField } from '../../components/period-field.tsx';
import { AuditActionsDocument } from '../../graphql/gen/lazy-documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { type AuditView, type ChangeView, countFilters, withoutFilters } from './audit-view.ts';

export function AuditFilters({ view, change }: { view: AuditView; change: ChangeView }) {
  const [{ data }] = useQuery({ query: AuditActionsDocument });
  return (
    <Box role="search" aria-label="Filters" sx={bar}>
      <CommittedTextField
        label="Actor"
        value={view.actor}
        change={(actor) => change({ actor })}
        maxLength={250}
        wide
      />
      <MultiSelect
        label="Action"
        values={view.action}
        options={data?.auditActions}
        change={(action) => change({ action })}
      />
      <CommittedTextField
        label="Object"
        value={view.target}
        change={(target) => change({ target })}
        maxLength={250}
        wide
      />
      <PeriodField label="Time" value={view} change={change} />
      {countFilters(view) === 0 ? null : (
        <Button onClick={() => change(withoutFilters(view))}>Clear filters</Button>
      )}
    </Box>
  );
}

const bar = {
  display: { xs: 'grid', md: 'flex' },
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
  flexWrap: 'wrap',
  alignItems: 'flex-start',
  gap: 1,
  mb: 1.5,
} as const;
