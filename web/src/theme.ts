import { createTheme } from '@mui/material/styles';
import type {
  ExecutionStatus,
  SessionStatus,
  StageStatus,
  TimelineEventStatus,
} from './graphql/gen/documents.ts';

/** Name of a colour in the theme's `status` palette. */
export type StatusTone = 'queued' | 'running' | 'done' | 'failed' | 'late' | 'stopped';

export interface StatusLook {
  readonly tone: StatusTone;
  readonly label: string;
}

export const statusLook: Record<
  SessionStatus | StageStatus | ExecutionStatus | TimelineEventStatus,
  StatusLook
> = {
  PENDING: { tone: 'queued', label: 'Queued' },
  IN_PROGRESS: { tone: 'running', label: 'Running' },
  ACTIVE: { tone: 'running', label: 'Running' },
  STREAMING: { tone: 'running', label: 'Running' },
  WAITING_FOR_APPROVAL: { tone: 'late', label: 'Waiting for approval' },
  CANCELLING: { tone: 'stopped', label: 'Cancelling' },
  COMPLETED: { tone: 'done', label: 'Completed' },
  FAILED: { tone: 'failed', label: 'Failed' },
  CANCELLED: { tone: 'stopped', label: 'Cancelled' },
  TIMED_OUT: { tone: 'late', label: 'Timed out' },
};

declare module '@mui/material/styles' {
  interface Palette {
    status: Record<StatusTone, string>;
    /** Background of code, arguments and results. */
    well: string;
    /** Background of search matches. */
    mark: string;
  }
  interface PaletteOptions {
    status: Record<StatusTone, string>;
    well: string;
    mark: string;
  }
}

export const mono =
  'ui-monospace, "SF Mono", "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace';

// Text and status colours have a contrast of at least 4.5:1 on both backgrounds of their scheme.
const light = {
  primary: { main: '#1f5fd0' },
  error: { main: '#b3261e' },
  background: { default: '#f5f6f8', paper: '#ffffff' },
  text: { primary: '#1b2230', secondary: '#566073' },
  action: { active: '#566073' },
  divider: '#dfe3ea',
  well: '#f1f3f7',
  mark: '#ffe9a8',
  status: {
    queued: '#5a6579',
    running: '#1f5fd0',
    done: '#176c3b',
    failed: '#b3261e',
    late: '#875008',
    stopped: '#6b5a8e',
  },
};
const dark = {
  primary: { main: '#7fb0ff' },
  error: { main: '#ff8a80' },
  background: { default: '#0e1218', paper: '#151a22' },
  text: { primary: '#dde3ec', secondary: '#98a3b5' },
  action: { active: '#98a3b5' },
  divider: '#262e3a',
  well: '#0b0f14',
  mark: '#5c4a12',
  status: {
    queued: '#98a3b5',
    running: '#7fb0ff',
    done: '#6fcf97',
    failed: '#ff8a80',
    late: '#f0b45a',
    stopped: '#b9a5e2',
  },
};

const focusRing = { outline: '2px solid', outlineColor: 'var(--mui-palette-primary-main)', outlineOffset: 2 };

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-scheme' },
  colorSchemes: { light: { palette: light }, dark: { palette: dark } },
  shape: { borderRadius: 6 },
  typography: {
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    fontSize: 13,
    h1: { fontSize: '1.25rem', fontWeight: 650, lineHeight: 1.3 },
    h2: { fontSize: '0.95rem', fontWeight: 650, lineHeight: 1.4 },
    h3: { fontSize: '0.875rem', fontWeight: 650, lineHeight: 1.4 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  components: {
    MuiCssBaseline: {
      styleOverrides: {
        // Excludes elements that only scripts focus (main, dialog frames), because they need no ring.
        'a:focus-visible, button:focus-visible, [tabindex="0"]:focus-visible': focusRing,
        // Until a script sets the height, the field is large enough to touch.
        textarea: { minHeight: 24 },
        '@media print': { '.MuiButton-root, .MuiIconButton-root': { display: 'none !important' } },
        '@media (prefers-reduced-motion: reduce)': {
          '*, *::before, *::after': {
            animationDuration: '0.01ms !important',
            animationIterationCount: '1 !important',
            transitionDuration: '0.01ms !important',
            scrollBehavior: 'auto !important',
          },
        },
      },
    },
    MuiButtonBase: { defaultProps: { disableRipple: true } },
    MuiButton: { defaultProps: { size: 'small', disableElevation: true } },
    MuiIconButton: { defaultProps: { size: 'small' } },
    MuiTextField: { defaultProps: { size: 'small', fullWidth: true } },
    MuiOutlinedInput: {
      styleOverrides: { root: ({ theme }) => ({ backgroundColor: theme.vars?.palette.background.paper }) },
    },
    MuiPaper: {
      defaultProps: { variant: 'outlined' },
      styleOverrides: { root: { backgroundImage: 'none' } },
    },
    MuiTooltip: { defaultProps: { enterDelay: 400 } },
  },
});
