import { createSvgIcon } from '@mui/material/utils';

const icon = (name: string, ...paths: readonly string[]) =>
  createSvgIcon(
    <g fill="none" stroke="currentColor" strokeWidth={2} strokeLinecap="round" strokeLinejoin="round">
      {paths.map((d) => (
        <path key={d} d={d} />
      ))}
    </g>,
    name,
  );

export const AddIcon = icon('Add', 'M12 5v14M5 12h14');
export const AgainIcon = icon('Again', 'M4 12a8 8 0 1 1 2.5 5.8', 'M4 19v-4.5h4.5');
export const AlertIcon = icon(
  'Alert',
  'M12 9v4M12 17v.01',
  'M10.3 4 2.5 18a2 2 0 0 0 1.7 3h15.6a2 2 0 0 0 1.7-3L13.7 4a2 2 0 0 0-3.4 0Z',
);
export const AnswerIcon = icon('Answer', 'M4 5h16v11H9l-5 4V5Z');
export const ArrowDownIcon = icon('ArrowDown', 'M12 5v14M6 13l6 6 6-6');
export const CheckIcon = icon('Check', 'm5 13 4 4L19 7');
export const ChevronIcon = icon('Chevron', 'm9 6 6 6-6 6');
export const CloseIcon = icon('Close', 'M6 6l12 12M18 6 6 18');
export const CodeIcon = icon('Code', 'm9 8-5 4 5 4M15 8l5 4-5 4');
export const CopyIcon = icon('Copy', 'M9 9h11v11H9z', 'M5 15H4V4h11v1');
export const DownloadIcon = icon('Download', 'M12 4v11M7 11l5 5 5-5', 'M4 20h16');
export const ExpandIcon = icon('Expand', 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7');
export const FileIcon = icon('File', 'M6 3h8l4 4v14H6z', 'M14 3v4h4');
export const FlagIcon = icon('Flag', 'M5 21V4h12l-2 4 2 4H5');
export const LinkIcon = icon(
  'Link',
  'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.7-5.7L12 7',
  'M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.7 5.7L12 17',
);
export const SearchIcon = icon('Search', 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Z', 'm20 20-4-4');
export const SlidersIcon = icon('Sliders', 'M4 7h9M19 7h1M4 17h1M11 17h9', 'M16 5v4M8 15v4');
export const StopIcon = icon('Stop', 'M7 7h10v10H7z');
export const ThoughtIcon = icon('Thought', 'M12 3a6 6 0 0 0-3.5 10.9V16h7v-2.1A6 6 0 0 0 12 3Z', 'M9.5 20h5');
export const ToolIcon = icon(
  'Tool',
  'M14.5 6.5a4 4 0 0 0-5.3 5L4 16.7 7.3 20l5.2-5.2a4 4 0 0 0 5-5.3L15 12l-3-3 2.5-2.5Z',
);
export const TraceIcon = icon('Trace', 'M4 6h9M8 12h9M13 18h7');
export const WaitIcon = icon('Wait', 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16Z', 'M12 8v4l3 2');
export const UserIcon = icon(
  'User',
  'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
  'M4 20c1-4 4-5.5 8-5.5s7 1.5 8 5.5',
);
