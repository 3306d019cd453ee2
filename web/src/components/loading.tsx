import Box from '@mui/material/Box';
import { keyframes } from '@mui/material/styles';

const pulse = keyframes`50% { opacity: 0.4; }`;

interface Blocks {
  /** Heights of the blocks (px). */
  readonly heights: readonly number[];
  /** Columns of the blocks in a wide window; a narrow one has a single column. */
  readonly columns?: string;
  readonly gap: string;
}

/** Outlines of the contents of pages. */
const SHAPES = {
  rows: { heights: [58, 58, 58, 58, 58], gap: '1px' },
  cards: { heights: [180, 180, 180], gap: '12px' },
  article: { heights: [360, 240], columns: 'minmax(0, 1fr) 320px', gap: '16px' },
  trace: { heights: [110, 56, 240], gap: '16px' },
  charts: { heights: [160, 160, 220, 220], columns: '1fr 1fr', gap: '12px' },
  columns: { heights: [320, 320, 320, 320], columns: 'repeat(4, 1fr)', gap: '12px' },
  pair: { heights: [480, 480], columns: '1fr 1fr', gap: '12px' },
  fields: { heights: [40, 40, 220, 40], gap: '16px' },
} satisfies Record<string, Blocks>;

export type Shape = keyof typeof SHAPES;

type Props = { readonly label: string } & ({ readonly height: number } | { readonly shape: Shape });

/**
 * Placeholder for content that is loading. `height` (px) or `shape` approximates the content, `label` names the
 * content.
 */
export function Loading({ label, ...form }: Props) {
  const { heights, columns, gap }: Blocks =
    'shape' in form ? SHAPES[form.shape] : { heights: [form.height], gap: '0' };
  return (
    <Box role="status" aria-label={label} aria-busy="true">
      <Box sx={{ display: 'grid', gap, gridTemplateColumns: { xs: '1fr', md: columns ?? '1fr' } }}>
        {heights.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks never change
          <Box key={index} sx={block} style={{ height }} />
        ))}
      </Box>
    </Box>
  );
}

const block = {
  borderRadius: 1,
  bgcolor: 'color-mix(in srgb, var(--mui-palette-text-primary) 11%, transparent)',
  animation: `${pulse} 2s ease-in-out 0.5s infinite`,
} as const;
