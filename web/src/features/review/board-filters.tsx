import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { type RefObject, useId, useState } from 'react';
import { SlidersIcon } from '../../components/icons.tsx';
import { filterField, MultiSelect } from '../../components/multi-select.tsx';
import { PeriodField } from '../../components/period-field.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { SEVERITIES, severityName } from '../../components/severity.tsx';
import { useViewer } from '../../components/use-viewer.ts';
import {
  FilterOptionsDocument,
  type QualityRating,
  type Severity,
  type VerdictKind,
} from '../../graphql/gen/documents.ts';
import { OPTIONS_EVERY_MS, usePolledQuery } from '../../graphql/use-polled-query.ts';
import { VERDICT_KINDS, VERDICTS } from '../report/verdict.tsx';
import { countFilters, GROUPINGS, type Grouping, withoutFilters } from './board-view.ts';
import { RATINGS } from './review-labels.ts';
import type { BoardFeed } from './use-board.ts';

interface Props {
  readonly feed: Pick<BoardFeed, 'view' | 'change'>;
  /** Reviewers of the cards on the board. */
  readonly reviewers: readonly string[];
  readonly search: RefObject<HTMLInputElement | null>;
}

/** Search, filters and grouping of the board. On a phone the filters are collapsed. */
export function BoardFilters({ feed: { view, change }, reviewers, search }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const me = useViewer()?.name;
  const { data: known } = usePolledQuery(FilterOptionsDocument, OPTIONS_EVERY_MS);
  const chosen = countFilters(view);
  return (
    <Box role="search" aria-label="Review filters" sx={bar}>
      <SearchField
        value={view.search}
        change={(text) => change({ search: text }, { replace: true })}
        label="Search sessions"
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
        <MultiSelect
          label="Severity"
          values={view.severity}
          options={SEVERITIES}
          name={(severity) => severityName(severity as Severity)}
          change={(severity) => change({ severity: severity as Severity[] })}
        />
        <MultiSelect
          label="Alert type"
          values={view.alertType}
          options={known?.sessionFilterOptions.alertTypes}
          change={(alertType) => change({ alertType })}
        />
        <MultiSelect
          label="Verdict"
          values={view.verdict}
          options={VERDICT_KINDS}
          name={(verdict) => VERDICTS[verdict as VerdictKind].label}
          change={(verdict) => change({ verdict: verdict as VerdictKind[] })}
        />
        <MultiSelect
          label="Reviewer"
          values={view.reviewer}
          options={[...new Set([...(me === undefined ? [] : [me]), ...reviewers])]}
          name={(name) => (name === me ? `${name} (you)` : name)}
          change={(reviewer) => change({ reviewer })}
        />
        <MultiSelect
          label="Rating"
          values={view.rating}
          options={Object.keys(RATINGS)}
          name={(rating) => RATINGS[rating as QualityRating].label}
          change={(rating) => change({ rating: rating as QualityRating[] })}
        />
        <PeriodField label="Submitted" value={view} change={change} />
        <TextField
          select
          label="Group by"
          value={view.group ?? ''}
          onChange={(event) => change({ group: (event.target.value || null) as Grouping | null })}
          sx={filterField}
        >
          <MenuItem dense value="">
            Nothing
          </MenuItem>
          {Object.entries(GROUPINGS).map(([value, label]) => (
            <MenuItem dense key={value} value={value}>
              {label}
            </MenuItem>
          ))}
        </TextField>
      </Box>
      {chosen === 0 ? null : <Button onClick={() => change(withoutFilters(view))}>Clear filters</Button>}
    </Box>
  );
}

const bar = { display: 'flex', flexWrap: 'wrap', alignItems: 'flex-start', gap: 1, mb: 1.5 } as const;
const fields = {
  flexWrap: 'wrap',
  gap: 1,
  width: { xs: '100%', md: 'auto' },
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
} as const;
