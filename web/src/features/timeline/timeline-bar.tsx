import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import InputBase from '@mui/material/InputBase';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Tooltip from '@mui/material/Tooltip';
import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import { ChevronIcon, FlagIcon, SearchIcon } from '../../components/icons.tsx';
import { zoneName } from '../../lib/format.ts';
import { useStoredChoice } from '../../lib/stored.ts';
import { TIME_ZONES } from '../../lib/time-zone.ts';
import { BELOW_HEAD } from './sticky-height.ts';
import type { TimelineFilter } from './timeline-filter.ts';
import type { TimelineSearch } from './use-timeline-search.ts';
import { BAR_HEIGHT } from './use-timeline-window.ts';

interface Props {
  readonly search: TimelineSearch;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  /** Name of the stage at the top of the window. */
  readonly currentStage: string;
  readonly allCollapsed: boolean;
  readonly toggleAllStages: () => void;
  /** The filter that selects shown entries; `null` shows everything. */
  readonly filter: TimelineFilter | null;
  readonly setFilter: (filter: TimelineFilter | null) => void;
  /** Scrolls to the conclusion; undefined while there is none. */
  readonly goToConclusion: (() => void) | undefined;
}

/** Bar that sticks to the top of the timeline: current stage, conclusion link, search, filter and collapse button. */
export function TimelineBar(props: Props) {
  const { search, inputRef, currentStage, allCollapsed, toggleAllStages, filter, setFilter, goToConclusion } =
    props;
  useFindShortcut(inputRef);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      search.step(event.shiftKey ? -1 : 1);
    }
    if (event.key === 'Escape') {
      search.setQuery('');
      inputRef.current?.blur();
    }
  };
  return (
    <Box sx={bar}>
      <Box sx={stageName} title={currentStage}>
        {currentStage}
      </Box>
      {/* First, because the button appears late and must not move the other controls. */}
      {goToConclusion === undefined ? null : (
        <Button aria-label="Conclusion" onClick={goToConclusion} sx={{ flex: 'none', minWidth: 32 }}>
          <FlagIcon sx={{ fontSize: 18 }} />
          <Box component="span" sx={{ ml: 0.75, display: { xs: 'none', md: 'inline' } }}>
            Conclusion
          </Box>
        </Button>
      )}
      <Box role="search" aria-label="Search this session" sx={field}>
        <SearchIcon sx={{ fontSize: 16, color: 'text.secondary', flex: 'none' }} />
        <InputBase
          inputRef={inputRef}
          value={search.query}
          onChange={(event) => search.setQuery(event.target.value)}
          onKeyDown={onKeyDown}
          placeholder="Find in session"
          inputProps={{
            'aria-label': 'Find in this session',
            type: 'search',
            enterKeyHint: 'search',
            'data-find-in-session': '',
          }}
          sx={{ flex: 1, minWidth: 0, fontSize: '0.8125rem' }}
        />
        {search.query === '' ? null : <MatchStepper search={search} />}
      </Box>
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label="Show only"
        value={filter}
        onChange={(_event, chosen: TimelineFilter | null) => setFilter(chosen)}
        sx={{ flex: 'none' }}
      >
        <ToggleButton value="calls" sx={filterButton}>
          Calls
        </ToggleButton>
        <ToggleButton value="failures" sx={filterButton}>
          Failures
        </ToggleButton>
      </ToggleButtonGroup>
      <Button
        color="inherit"
        onClick={toggleAllStages}
        sx={{ color: 'text.secondary', display: { xs: 'none', md: 'flex' }, flex: 'none' }}
      >
        {allCollapsed ? 'Expand all' : 'Collapse all'}
      </Button>
      <ZoneButton />
    </Box>
  );
}

/** Shows the time zone and switches between local time and UTC. On a phone the display settings do this. */
function ZoneButton() {
  const [zone, setZone] = useStoredChoice('time-zone', TIME_ZONES, 'local');
  const here = zoneName('local');
  if (here === 'UTC') return null;
  return (
    <Button
      color="inherit"
      aria-label={`Times in ${zoneName(zone)}. Switch to ${zone === 'utc' ? here : 'UTC'}`}
      onClick={() => setZone(zone === 'utc' ? 'local' : 'utc')}
      sx={{ color: 'text.secondary', display: { xs: 'none', md: 'flex' }, flex: 'none', minWidth: 0 }}
    >
      {zoneName(zone)}
    </Button>
  );
}

function MatchStepper({ search }: { search: TimelineSearch }) {
  const { matches, currentIndex } = search;
  const none = matches.length === 0;
  return (
    <>
      <Box component="span" role="status" sx={count}>
        {none ? 'No matches' : `${currentIndex + 1} of ${matches.length}`}
      </Box>
      <Tooltip title="Previous (Shift + Enter)">
        <span>
          <IconButton aria-label="Previous match" disabled={none} onClick={() => search.step(-1)} sx={arrow}>
            <ChevronIcon sx={{ fontSize: 16, transform: 'rotate(-90deg)' }} />
          </IconButton>
        </span>
      </Tooltip>
      <Tooltip title="Next (Enter)">
        <span>
          <IconButton aria-label="Next match" disabled={none} onClick={() => search.step(1)} sx={arrow}>
            <ChevronIcon sx={{ fontSize: 16, transform: 'rotate(90deg)' }} />
          </IconButton>
        </span>
      </Tooltip>
    </>
  );
}

/**
 * Ctrl/Cmd + F focuses this search, because the browser's search finds only the rendered rows. A second press opens the
 * browser's search.
 */
function useFindShortcut(inputRef: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      const isFindKey =
        event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isFindKey || event.defaultPrevented || document.activeElement === inputRef.current) return;
      event.preventDefault();
      inputRef.current?.focus();
      inputRef.current?.select();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [inputRef]);
}

const bar = {
  position: 'sticky',
  top: BELOW_HEAD,
  zIndex: 3,
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  height: BAR_HEIGHT,
  bgcolor: 'background.default',
  '@media print': { display: 'none' },
} as const;
const stageName = {
  flex: 1,
  minWidth: 0,
  fontSize: '0.8125rem',
  fontWeight: 650,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  display: { xs: 'none', sm: 'block' },
} as const;
const field = {
  display: 'flex',
  alignItems: 'center',
  gap: 0.5,
  flex: { xs: 1, sm: '0 1 320px' },
  minWidth: 120,
  height: 32,
  pl: 1,
  pr: 0.5,
  bgcolor: 'background.paper',
  border: '1px solid',
  borderColor: 'divider',
  borderRadius: 1,
  '&:focus-within': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -1 },
  '& input::-webkit-search-cancel-button': { display: 'none' },
} as const;
const count = { fontSize: '0.75rem', color: 'text.secondary', whiteSpace: 'nowrap' } as const;
const arrow = { p: 0.5 } as const;
const filterButton = { py: 0.375, px: 1, textTransform: 'none', fontWeight: 600, lineHeight: 1.5 } as const;
