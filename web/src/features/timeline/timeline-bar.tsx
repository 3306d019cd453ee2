import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Find, FindField } from '../../components/find-field.tsx';
import { FlagIcon } from '../../components/icons.tsx';
import { zoneName } from '../../lib/format.ts';
import { useStoredChoice } from '../../lib/stored.ts';
import { TIME_ZONES } from '../../lib/time-zone.ts';
import { useDensity } from './density.ts';
import { BELOW_HEAD } from './sticky-height.ts';
import type { TimelineFilter } from './timeline-filter.ts';
import { BAR_HEIGHT } from './use-timeline-window.ts';

interface Props {
  readonly search: Find;
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
  const place = useRef<HTMLDivElement>(null);
  const float = useFloat(place, search.query !== '');
  return (
    <Box ref={place} sx={frame}>
      <Box style={float} sx={[bar, float !== undefined && floating]}>
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
        <FindField
          find={search}
          label="Find in this session"
          landmark="Search this session"
          placeholder="Find in session"
          inputRef={inputRef}
        />
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
        <DensityButton />
        <Button
          color="inherit"
          onClick={toggleAllStages}
          sx={{ color: 'text.secondary', display: { xs: 'none', md: 'flex' }, flex: 'none' }}
        >
          {allCollapsed ? 'Expand all' : 'Collapse all'}
        </Button>
        <ZoneButton />
      </Box>
    </Box>
  );
}

/** Switches between whole texts and their beginnings. */
function DensityButton() {
  const [density, setDensity] = useDensity();
  const isCompact = density === 'compact';
  return (
    <ToggleButton
      size="small"
      value="compact"
      selected={isCompact}
      onChange={() => setDensity(isCompact ? 'detailed' : 'compact')}
      sx={[filterButton, { flex: 'none' }]}
    >
      Compact
    </ToggleButton>
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

/** Returns the place of the bar while the viewer searches: matches outside the timeline must not hide it. */
function useFloat(place: RefObject<HTMLElement | null>, isSearching: boolean) {
  const [float, setFloat] = useState<{ left: number; width: number }>();
  useLayoutEffect(() => {
    if (!isSearching) return;
    const measure = (): void => {
      const { left, width } = place.current!.getBoundingClientRect();
      setFloat((before) => (before?.left === left && before.width === width ? before : { left, width }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [isSearching, place]);
  return isSearching ? float : undefined;
}

const frame = {
  position: 'sticky',
  top: BELOW_HEAD,
  zIndex: 3,
  height: BAR_HEIGHT,
  '@media print': { display: 'none' },
} as const;
const floating = { position: 'fixed', top: BELOW_HEAD } as const;
const bar = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  height: BAR_HEIGHT,
  bgcolor: 'background.default',
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
const filterButton = { py: 0.375, px: 1, textTransform: 'none', fontWeight: 600, lineHeight: 1.5 } as const;
