import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type RefObject, useId, useState } from 'react';
import { ChoiceField } from '../../components/choice-field.tsx';
import { SlidersIcon } from '../../components/icons.tsx';
import { SearchField } from '../../components/search-field.tsx';
import type { FilterOptionsQuery, SessionOrderField } from '../../graphql/gen/documents.ts';
import { FilterFields } from './filter-fields.tsx';
import { COLUMNS } from './history-table.tsx';
import { isFiltered, type ListView, withoutFilters } from './list-view.ts';
import type { ListViewState } from './use-list-view.ts';

interface Props {
  readonly list: ListViewState;
  readonly options: FilterOptionsQuery['sessionFilterOptions'] | undefined;
  readonly search: RefObject<HTMLInputElement | null>;
}

/** Search and conditions of the history. On a phone the conditions open on demand. */
export function FilterBar({ list, options, search }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const chosen = countFilters(list.view);
  return (
    <Box role="search" aria-label="History" sx={bar}>
      <SearchField
        value={list.view.search}
        change={(text) => list.change({ search: text }, { replace: true })}
        label="Search the history"
        placeholder="Search alerts, analyses, timelines"
        maxLength={500}
        input={search}
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
        <FilterFields list={list} options={options} />
        <SortField list={list} />
      </Box>
      {isFiltered(list.view) ? (
        <Button onClick={() => list.change(withoutFilters(list.view))}>Clear all</Button>
      ) : null}
    </Box>
  );
}

const ORDERS = COLUMNS.flatMap(({ name, field }) =>
  field === undefined
    ? []
    : (['DESC', 'ASC'] as const).map((direction) => ({
        value: `${field} ${direction}`,
        name: `${name} ${direction === 'ASC' ? '↑' : '↓'}`,
      })),
);

/** On a phone, where there are no column headers. */
function SortField({ list: { view, change } }: { list: ListViewState }) {
  return (
    <Box sx={{ display: { md: 'none' } }}>
      <ChoiceField
        label="Sort by"
        choices={ORDERS}
        chosen={[`${view.field} ${view.direction}`]}
        change={([chosen = '']) => {
          const [field, direction] = chosen.split(' ');
          change({ field: field as SessionOrderField, direction: direction === 'ASC' ? 'ASC' : 'DESC' });
        }}
      />
    </Box>
  );
}

function countFilters(view: ListView): number {
  const { status, severity, alertType, chainId, author, verdict, review, within, from, to } = view;
  const lists = [status, severity, alertType, chainId, author, verdict, review].filter(
    (list) => list.length > 0,
  ).length;
  return lists + (within === null && from === null && to === null ? 0 : 1);
}

const bar = { display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', gap: 1, mb: 1.5 } as const;

const fields = {
  flexWrap: 'wrap',
  gap: 1,
  width: { xs: '100%', md: 'auto' },
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
} as const;
