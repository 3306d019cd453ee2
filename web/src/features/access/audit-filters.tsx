import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useEffect, useState } from 'react';
import { filterField, MultiSelect } from '../../components/multi-select.tsx';
import { PeriodField } from '../../components/period-field.tsx';
import { AuditActionsDocument } from '../../graphql/gen/documents.ts';
import { useQuery } from '../../graphql/use-query.ts';
import { type AuditView, type ChangeView, countFilters, withoutFilters } from './audit-view.ts';

/** Filters of the audit log. */
export function AuditFilters({ view, change }: { view: AuditView; change: ChangeView }) {
  const [{ data }] = useQuery({ query: AuditActionsDocument });
  return (
    <Box role="search" aria-label="Changes" sx={bar}>
      <WholeText label="Who" value={view.actor} change={(actor) => change({ actor })} />
      <MultiSelect
        label="Action"
        values={view.action}
        options={data?.auditActions}
        change={(action) => change({ action })}
      />
      <WholeText label="Object" value={view.target} change={(target) => change({ target })} />
      <PeriodField label="When" value={view} change={change} />
      {countFilters(view) === 0 ? null : (
        <Button onClick={() => change(withoutFilters(view))}>Clear all</Button>
      )}
    </Box>
  );
}

function WholeText(props: { label: string; value: string; change: (text: string) => void }) {
  const { label, value, change } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = (): void => {
    if (text.trim() !== value) change(text.trim());
  };
  return (
    <TextField
      label={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
      sx={wideField}
      slotProps={{ htmlInput: { maxLength: 250, spellCheck: false } }}
    />
  );
}

const wideField = { width: { ...filterField.width, md: 200 } } as const;
const bar = {
  display: { xs: 'grid', md: 'flex' },
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
  flexWrap: 'wrap',
  alignItems: 'flex-start',
  gap: 1,
  mb: 1.5,
} as const;
