import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type RefObject, useId, useState } from 'react';
import { ChoiceField } from '../../components/choice-field.tsx';
import { SlidersIcon } from '../../components/icons.tsx';
import { SearchField } from '../../components/search-field.tsx';
import type { FilterOptionsQuery, SessionOrderField } from '../../graphql/gen/documents.ts';
import { FilterFields } from './filter-fields.tsx';
import { COLUMNS } from './history-table.tsx';
import { countFilters, isFiltered, withoutFilters } from './list-view.ts';
import type { ListViewState } from './use-list-view.ts';
import { ViewsButton } from './views-button.tsx';

interface Props {
  readonly list: ListViewState;
  readonly options: FilterOptionsQuery['sessionFilterOptions'] | undefined;
  readonly search: RefObject<HTMLInputElement | null>;
}

/** Search and filters of the history. On a phone the filters are collapsed. */
export function FilterBar({ list, options, search }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const chosen = countFilters(list.view);
  return (
    <Box role="search" aria-label="History filters" sx={bar}>
      <SearchField
        value={list.view.search}
        change={(text) => list.change({ search: text }, { replace: true })}
        label="Search history"
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
      <ViewsButton list={list} />
      {isFiltered(list.view) ? (
        <Button sx={{ minHeight: 38 }} onClick={() => list.change(withoutFilters(list.view))}>
          Clear filters
        </Button>
      ) : null}
      <Box id={id} sx={[fields, { display: { xs: open ? 'grid' : 'none', md: 'grid' } }]}>
        <FilterFields list={list} options={options} />
        <SortField list={list} />
      </Box>
    </Box>
  );
}

const ORDERS = COLUMNS.flat().flatMap(({ name, field }) =>
  field === undefined
    ? []
    : (['DESC', 'ASC'] as const).map((direction) => ({
        value: `${field} ${direction}`,
        name: `${name} ${direction === 'ASC' ? '↑' : '↓'}`,
      })),
);

/** Selects the sort order on narrow screens, which have no sortable column headers. */
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

const bar = { display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', gap: 1, mb: 1.5 } as const;

const fields = {
  gap: 1,
  width: '100%',
  gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(auto-fit, minmax(116px, 1fr))' },
  '&& > *': { width: '100%' },
} as const;
