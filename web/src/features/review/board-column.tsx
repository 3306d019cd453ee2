import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { severityName } from '../../components/severity.tsx';
import type { BoardCardFragment, BoardColumnFragment, Severity } from '../../graphql/gen/documents.ts';
import { BoardCard } from './board-card.tsx';
import { COLUMN_NAMES, type Column, type Grouping, groupCards } from './board-view.ts';

const EMPTY_TEXTS: Readonly<Record<Column, string>> = {
  running: 'Nothing running or queued',
  waiting: 'Nothing to review',
  begun: 'Nothing in review',
  done: 'Nothing reviewed yet',
};

interface Props {
  readonly column: Column;
  readonly content: BoardColumnFragment;
  readonly group: Grouping | null;
  readonly filtered: boolean;
  readonly selected: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** Selects all the given cards, or deselects them if all are selected. */
  readonly toggleAll: (cards: readonly BoardCardFragment[]) => void;
  readonly more: (() => void) | null;
  /** True if this is the only column that a phone shows. */
  readonly onPhone: boolean;
}

/** A column of the review board: running sessions, or sessions whose reviews have the same status. */
export function BoardColumn(props: Props) {
  const { column, content, group, filtered, selected, toggle, toggleAll, more, onPhone } = props;
  const { nodes: cards, totalCount } = content;
  const name = COLUMN_NAMES[column];
  const all = { selected, toggleAll };
  return (
    <Box
      component="section"
      aria-labelledby={`column-${column}`}
      data-column={column}
      sx={{ minWidth: 0, display: { xs: onPhone ? 'block' : 'none', md: 'block' } }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', minHeight: 34 }}>
        {column === 'running' || cards.length === 0 ? null : (
          <SelectAll {...all} cards={cards} label={`Select all shown: ${name}`} />
        )}
        <Typography id={`column-${column}`} variant="h2">
          {name}
          <Box component="span" sx={{ ml: 1, color: 'text.secondary', fontWeight: 500 }}>
            {totalCount.toLocaleString('en')}
          </Box>
        </Typography>
      </Box>
      <Paper>
        {cards.length === 0 ? (
          <Box sx={{ p: 2, color: 'text.secondary', fontSize: '0.875rem' }}>
            {filtered ? 'No matches' : EMPTY_TEXTS[column]}
          </Box>
        ) : group === null ? (
          <Cards label={name} cards={cards} selected={selected} toggle={toggle} />
        ) : (
          groupCards(cards, group).map(({ name: of, cards: own }) => {
            const title = group === 'severity' ? severityName(of as Severity) : of;
            return (
              <Box key={of} sx={{ '& + &': { borderTop: 1, borderColor: 'divider' } }}>
                <Box sx={groupHead}>
                  {column === 'running' ? null : (
                    <SelectAll {...all} cards={own} label={`Select all shown: ${name}, ${title}`} />
                  )}
                  <Typography variant="h3" sx={{ fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
                    {title}
                    <Box component="span" sx={{ ml: 0.75, color: 'text.secondary', fontWeight: 500 }}>
                      {own.length}
                    </Box>
                  </Typography>
                </Box>
                <Cards label={`${name}, ${title}`} cards={own} selected={selected} toggle={toggle} />
              </Box>
            );
          })
        )}
      </Paper>
      {cards.length >= totalCount ? null : (
        <Box sx={{ mt: 0.5, fontSize: '0.8125rem', color: 'text.secondary' }}>
          {more === null ? (
            `Showing the newest ${cards.length}. Use filters to see others.`
          ) : (
            <Button onClick={more}>Show more</Button>
          )}
        </Box>
      )}
    </Box>
  );
}

interface CardsProps extends Pick<Props, 'selected' | 'toggle'> {
  readonly label: string;
  readonly cards: readonly BoardCardFragment[];
}

function Cards({ label, cards, selected, toggle }: CardsProps) {
  return (
    <Box component="ul" aria-label={label} sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {cards.map((card) => (
        <BoardCard key={card.id} card={card} selected={selected.has(card.id)} onToggle={toggle} />
      ))}
    </Box>
  );
}

interface SelectAllProps extends Pick<Props, 'selected' | 'toggleAll'> {
  readonly label: string;
  readonly cards: readonly BoardCardFragment[];
}

function SelectAll({ label, cards, selected, toggleAll }: SelectAllProps) {
  const count = cards.filter(({ id }) => selected.has(id)).length;
  return (
    <Checkbox
      size="small"
      checked={count === cards.length}
      indeterminate={count > 0 && count < cards.length}
      onChange={() => toggleAll(cards)}
      slotProps={{ input: { 'aria-label': label } }}
      sx={{ p: 0.75, ml: 0.5, mr: 0.25 }}
    />
  );
}

const groupHead = { display: 'flex', alignItems: 'center', minHeight: 32, px: 0.5, bgcolor: 'well' } as const;
