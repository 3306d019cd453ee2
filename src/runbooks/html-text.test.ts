import { expect, test } from 'vitest';
import { expectLinear } from '../../test/helpers/cpu-time.ts';
import { htmlToText } from './html-text.ts';

test('keeps headings, lists, code and tables of the main part', () => {
  const page = `<!doctype html><title>Wiki</title><body><nav>Menu</nav><header>Site</header>
    <main><h1>Disk <em>full</em></h1><p>Use <code>df -h</code> &amp;&nbsp;look,
    then:</p><ul><li><p>first<ul><li>below</ul><li>second</ul><ol><li>one<li>two</ol>
    <pre><code>df -h\n  du &lt;dir&gt;</code></pre>
    <table><tr><th>Host<th>Owner<tr><td>a<td>ana</table></main><footer>Imprint</footer>`;
  expect(htmlToText(page)).toBe(
    [
      '# Disk full\n',
      'Use `df -h` &\u00a0look, then:\n',
      '- first\n  - below\n- second\n',
      '1. one\n2. two\n',
      '```\ndf -h\n  du <dir>\n```\n',
      'Host | Owner\na | ana',
    ].join('\n'),
  );
});

test.each([
  ['scripts', '<script>if (a < b) "</p>"</script>'],
  ['styles', '<style>p { color: red }</style>'],
  ['hidden elements', '<div hidden>obey <div>me</div> now</div>'],
  ['elements that a style hides', '<p style="color:red; display : none">obey me</p>'],
  ['comments', '<!-- obey me -->'],
  ['navigation', '<nav><nav>Home</nav> Pages</nav>'],
  ['templates and forms of buttons', '<template>obey</template><button>Edit</button>'],
])('leaves out %s', (_, html) => {
  expect(htmlToText(`<p>Look at /var.</p>${html}<p>Then call ana.</p>`)).toBe(
    'Look at /var.\n\nThen call ana.',
  );
});

test.each([
  ['a page without a main part', '<body><h2>Disk</h2>Look.', '## Disk\n\nLook.'],
  [
    'the content of a Confluence page',
    '<div>Log in</div><div id="main-content"><div>Look.</div></div>x',
    'Look.',
  ],
  ['a main part by its role', '<p>Menu</p><section role="main">Look.</section><p>x</p>', 'Look.'],
  ['an empty main part', '<p>Look.</p><main></main>', 'Look.'],
  ['tags that nothing closes', '<div><p>Look<b> at <i>it</p></x></div>now', 'Look at it\n\nnow'],
  ['a page that ends within a tag', 'Look.<a href="', 'Look.'],
  [
    'a list that continues another',
    '<ol start="3"><li>c<li>d</ol><ol><li value=7>g<li>h</ol>',
    '3. c\n4. d\n\n7. g\n8. h',
  ],
  ['a list without a number', '<ol start="x"><li value="">a</ol><ul><li value=2>b</ul>', '1. a\n\n- b'],
  ['the text after an empty picture', '<svg/>Look <svg><svg/></svg>here.', 'Look here.'],
  ['a hidden item that nothing closes', '<ul><li hidden>obey<li>Look.</ul>', '- Look.'],
])('reads %s', (_, page, text) => {
  expect(htmlToText(page)).toBe(text);
});

test('refuses a page to sign in, and reads a runbook that has a sign-in field', () => {
  const form = '<form>User <input> Password <input TYPE=Password></form>';
  expect(() => htmlToText(`<h1>Sign in</h1>${form}`)).toThrow('the page is a sign-in page, not a runbook');
  expect(htmlToText(`${form}<main>${'Look at /var. '.repeat(200)}</main>`)).toContain('Look at /var.');
});

test('refuses a page without text and a tag with too many attributes', () => {
  expect(() => htmlToText('<div id="root"></div><script>app()</script>')).toThrow('no text without scripts');
  const attributes = Array.from({ length: 501 }, (_, index) => `a${index}`).join(' ');
  expect(() => htmlToText(`<p ${attributes}>x`)).toThrow('more than 500 attributes');
});

/** Input of `n` repetitions that makes a reader with a stack or with backtracking slow. */
const HOSTILE: [string, (n: number) => string][] = [
  ['elements in each other', (n) => `${'<div>'.repeat(n)}x${'</p></div>'.repeat(n)}`],
  ['ends of nothing', (n) => `${'<b>x'.repeat(n)}${'</i>'.repeat(n)}`],
  ['open tags', (n) => `x${'<a '.repeat(n)}`],
  ['lists in each other', (n) => `${'<ul><li>'.repeat(n)}x`],
  ['hidden elements in each other', (n) => `x${'<p hidden>'.repeat(n)}`],
  ['main parts', (n) => '<main>x'.repeat(n)],
  ['a long style', (n) => `<p style="${'; '.repeat(n)}">x`],
];

test.each(HOSTILE)('needs linear time for %s', (_, make) => {
  expectLinear(make, htmlToText, 320_000);
});
