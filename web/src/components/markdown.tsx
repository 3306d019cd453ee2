import Box from '@mui/material/Box';
import { Component, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CITATION, type Citation, remarkCitations } from '../lib/citations.ts';
import { markdownBlocks } from '../lib/markdown-blocks.ts';
import { safeLink } from '../lib/safe-link.ts';
import { mono } from '../theme.ts';
import { CodeBlock } from './code-block.tsx';

/**
 * Returns a heading of the text. All are h3 elements, because the page has its own h1 and h2, and because models skip
 * levels. Only the size shows the level.
 */
const heading = (level: string) =>
  function Heading({ children }: { children?: ReactNode }) {
    return <h3 className={level}>{children}</h3>;
  };

// Model output is untrusted: raw HTML stays text, images are not loaded, and links show their target.
const components: Components = {
  a: ({ href, children, node, className, title }) =>
    className === CITATION ? (
      <CitationMark href={href} title={title ?? ''} text={node ? textOf(node) : ''} />
    ) : (
      <OutsideLink href={href} text={node ? textOf(node) : ''} body={children} />
    ),
  img: ({ alt, src }) => (
    <span title={typeof src === 'string' ? src : ''}>[image{alt ? `: ${alt}` : ''}]</span>
  ),
  // A task list's checkbox is shown as a character, because viewers cannot tick it here.
  input: ({ checked }) => <span>{checked ? '☑' : '☐'}</span>,
  h1: heading('first'),
  h2: heading('second'),
  h3: heading('deeper'),
  h4: heading('deeper'),
  h5: heading('deeper'),
  h6: heading('deeper'),
  pre: ({ node }) => <CodeBlock label="Code" text={node ? textOf(node).replace(/\n$/, '') : ''} />,
  table: ({ children }) => (
    <Box className="table" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </Box>
  ),
};

const PLUGINS = [remarkGfm];

interface BlockProps {
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
}

const Block = memo(function Block({ text, citations = [] }: BlockProps) {
  const plugins = citations.length === 0 ? PLUGINS : [...PLUGINS, () => remarkCitations(citations)];
  return (
    <PlainTextFallback text={text}>
      <ReactMarkdown components={components} remarkPlugins={plugins}>
        {text}
      </ReactMarkdown>
    </PlainTextFallback>
  );
});

/** A link that shows its target unless the link's text already does. An unsafe link becomes plain text. */
function OutsideLink(props: { href: string | undefined; text: string; body: ReactNode }) {
  const link = safeLink(props.href);
  if (link === null) return <span>{props.body}</span>;
  return (
    <a href={link.href} title={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {props.body}
      {props.text.toLowerCase().includes(link.target) ? '' : ` (${link.target})`}
      <span aria-hidden="true">&nbsp;↗</span>
    </a>
  );
}

/** The number of a source, shown behind the passage that the source supports. */
function CitationMark({ href, title, text }: { href: string | undefined; title: string; text: string }) {
  const link = safeLink(href);
  if (link === null) return <span>{text}</span>;
  const where = [title, link.target].filter((words) => words !== '').join(', ');
  return (
    <a
      href={link.href}
      title={where}
      aria-label={`Source ${text}: ${where}`}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      {text}
    </a>
  );
}

interface TextNode {
  readonly value?: string;
  readonly children?: readonly unknown[];
}
const textOf = ({ value, children }: TextNode): string =>
  value ?? (children ?? []).map((child) => textOf(child as TextNode)).join('');

/** Shows the unformatted text if the Markdown parser fails, as on deeply nested text. */
class PlainTextFallback extends Component<{ text: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return <Box sx={{ whiteSpace: 'pre-wrap' }}>{this.props.text}</Box>;
  }
}

/** Renders a model's Markdown safely. While `growing`, only the last block is parsed again for each new piece. */
export const Markdown = memo(function Markdown({
  text,
  growing = false,
  citations,
}: {
  text: string;
  growing?: boolean;
  citations?: readonly Citation[] | undefined;
}) {
  if (!growing) {
    return (
      <Box sx={prose}>
        <Block text={text} citations={citations} />
      </Box>
    );
  }
  const blocks = markdownBlocks(text);
  return (
    <Box sx={[prose, blockFrames]}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks only grow at the end, their index is their identity
        <GrowingBlock key={index} text={block} closed={index < blocks.length - 1} />
      ))}
    </Box>
  );
});

// Margin around the window in which blocks keep their layout, so that viewers do not see blocks without
// layout.
const OBSERVER_MARGIN = { rootMargin: '200px 0px' } as const;

/** A block of a growing text. The browser skips the layout of closed blocks that have left the window. */
const GrowingBlock = memo(function GrowingBlock({ text, closed }: { text: string; closed: boolean }) {
  const frame = useRef<HTMLDivElement>(null);
  const [hasLeftWindow, setHasLeftWindow] = useState(false);
  // Waits until the block has left the window, because the browser must lay the block out once to know its
  // height.
  useEffect(() => {
    if (!closed || hasLeftWindow || frame.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => !isIntersecting)) setHasLeftWindow(true);
    }, OBSERVER_MARGIN);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [closed, hasLeftWindow]);
  return (
    <div ref={frame} style={{ contentVisibility: hasLeftWindow ? 'auto' : 'visible' }}>
      <Block text={text} />
    </div>
  );
});

const prose = {
  lineHeight: 1.6,
  overflowWrap: 'anywhere',
  // Prose stays readable on wide screens; code may use the full width.
  '& > *': { maxWidth: '80ch' },
  '& > .code, & > .table': { maxWidth: 'none' },
  '& p, & ul, & ol, & .code, & blockquote': { my: 1 },
  '& ul, & ol': { pl: 3 },
  '& ul': { listStyleType: 'disc' },
  '& li': { my: 0.25 },
  '& li > p': { my: 0.25 },
  '& h3': { mt: 2, mb: 0.75, lineHeight: 1.35, fontWeight: 650, fontSize: '0.875rem' },
  '& h3.first': { fontSize: '1.05rem' },
  '& h3.second': { fontSize: '0.975rem' },
  // Keeps bidirectional control characters in a link from reordering the text around it.
  '& a': { color: 'primary.main', unicodeBidi: 'isolate' },
  '& sup': { fontSize: '0.75em', lineHeight: 0, '& a': { textDecoration: 'none', ml: '1px' } },
  '& hr': { border: 0, borderTop: '1px solid', borderColor: 'divider', my: 2 },
  '& blockquote': {
    mx: 0,
    pl: 1.5,
    borderLeft: '3px solid',
    borderColor: 'divider',
    color: 'text.secondary',
  },
  '& code': { fontFamily: mono, fontSize: '0.92em', bgcolor: 'well', px: 0.5, borderRadius: 0.5 },
  // Tables scroll at their natural width: cells broken within words are hard to compare.
  '& .table': { my: 1, maxWidth: '100%', overflowX: 'auto' },
  '& table': { width: 'max-content', borderCollapse: 'collapse' },
  '& th, & td': {
    maxWidth: '60ch',
    border: '1px solid',
    borderColor: 'divider',
    px: 1,
    py: 0.5,
    textAlign: 'left',
  },
  // First and last children have no outer margin, because the frame around the text has its own margin.
  '& > :nth-child(1), & li:nth-child(1), & :is(li, blockquote) > :nth-child(1)': { mt: 0 },
  '& > :last-child, & li:last-child, & :is(li, blockquote) > :last-child': { mb: 0 },
} as const;

// Frames around the blocks of a growing text. The frames carry the margins, so that margins collapse as
// without frames.
const blockFrames = {
  '& > div': { display: 'flow-root', maxWidth: 'none', my: 1, containIntrinsicBlockSize: 'auto 100px' },
  '& > div > *': { maxWidth: '80ch' },
  '& > div > .code, & > div > .table': { maxWidth: 'none' },
  '& > div > :nth-child(1)': { mt: 0 },
  '& > div > :last-child': { mb: 0 },
  '& > div:has(> h3:first-child)': { mt: 2 },
  '& > div:has(> h3:last-child)': { mb: 0.75 },
  '& > div:has(> hr:first-child)': { mt: 2 },
  '& > div:has(> hr:last-child)': { mb: 2 },
  '& > div:nth-child(1)': { mt: 0 },
  '& > div:last-child': { mb: 0 },
} as const;
